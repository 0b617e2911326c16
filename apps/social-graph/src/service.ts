import { createId } from '@paralleldrive/cuid2';
import { ChangeHints, DeadLetterStore, outboxIndexes, OutboxStore } from '@daycare/messaging';
import {
  consumeUserNotices,
  joinInstance,
  openMongo,
  openNats,
  repeat,
  startOutbox,
  systemStreamOf,
  type BuiltService,
  type Membership,
  type ServiceKit,
} from '@daycare/service-kit';
import type { Config } from './config';
import { socialGraphHandler } from './rpc/social-graph-handler';
import { makeSubuserFacts } from './rpc/identity-client';
import { budgetIndexes, BudgetStore } from './store/budget-store';
import { goneUserIndexes, GoneUserStore } from './store/gone-user-store';
import { TieChanges } from './store/tie-changes';
import { tieIndexes, TieStore } from './store/tie-store';
import type { SocialGraphUsecases } from './usecases';
import { makeAddFriend, makeRemoveFriend } from './usecases/add-friend';
import { makeBlockUser, makeUnblockUser } from './usecases/block-user';
import { makeChangeTie } from './usecases/change-tie';
import { makeCheckDelivery } from './usecases/check-delivery';
import { makeForgetUser, makeSweepGoneUsers } from './usecases/forget-user';
import { makeGetMessageStatus } from './usecases/get-message-status';
import { makeHintSharers } from './usecases/hint-sharers';
import { makeListFriends } from './usecases/list-friends';
import { makeSendFriendMessage } from './usecases/send-friend-message';
import { makeShareSubuser, makeUnshareSubuser } from './usecases/share-subuser';

const name = 'social-graph';
const sweepEveryMs = 60_000;
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const membership = await joinInstance(name, config, kit);
  const stores = await openStores(config, kit);
  const { connection } = await openNats(config, name, kit);
  const wake = startOutbox(config, { ...stores, connection }, kit);
  const hints = new ChangeHints(connection, config.natsPrefix);
  const hint = (userIds: readonly string[]): void => hints.tell(userIds);
  const hintSharers = makeHintSharers({ ...stores, hint });
  hints.hearOfGateways(name, (subuserId) => {
    hintSharers(subuserId).catch((err: unknown) =>
      kit.log.warn({ err }, 'cannot hint who shares a subuser; they look by themselves'),
    );
  });
  const forgetUser = makeForgetUser({ ...stores, wake, hint, now });
  consumeUserNotices({
    service: name,
    connection,
    stream: systemStreamOf(config),
    forgetUser,
    renameUser: hintSharers,
    keepDeadLetter: (letter) => stores.deadLetters.add(letter, now()),
    kit,
  });
  const sweep = makeSweepGoneUsers({ ...stores, now }, forgetUser);
  repeat('sweep after deleted users', sweepEveryMs, sweep, kit);
  const usecases = buildUsecases(config, stores, membership, { wake, hint, forgetUser });
  return { services: [socialGraphHandler(usecases)], authenticate: membership.authenticate };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

interface Actions {
  readonly wake: (lanes: readonly string[]) => void;
  readonly hint: (userIds: readonly string[]) => void;
  readonly forgetUser: (userId: string) => Promise<void>;
}

async function openStores(config: Config, kit: ServiceKit) {
  const indexes = [tieIndexes, budgetIndexes, goneUserIndexes, ...outboxIndexes];
  const { client, db } = await openMongo(config, name, indexes, kit);
  const ties = new TieStore(db);
  const outbox = new OutboxStore(db, name);
  const changes = new TieChanges({ client, ties, budgets: new BudgetStore(db), outbox });
  const gone = new GoneUserStore(db);
  return { db, ties, outbox, changes, gone, deadLetters: new DeadLetterStore(db) };
}

function buildUsecases(
  { policy, limits }: Config,
  { ties, outbox, changes, gone }: Stores,
  { identity, credential, directory }: Membership,
  { wake, hint, forgetUser }: Actions,
): SocialGraphUsecases {
  const changeTie = makeChangeTie({
    ties,
    changes,
    gone,
    policy,
    limits,
    now,
    newId: createId,
    wake,
    hint,
    forgetUser,
  });
  const { describeSubuser, describeSubusers } = makeSubuserFacts(identity, credential);
  const calls = { directory, changeTie, now };
  const sharing = { ...calls, describeSubuser };
  return {
    addFriend: makeAddFriend(calls),
    removeFriend: makeRemoveFriend(calls),
    blockUser: makeBlockUser(calls),
    unblockUser: makeUnblockUser(calls),
    shareSubuser: makeShareSubuser(sharing),
    unshareSubuser: makeUnshareSubuser(sharing),
    sendFriendMessage: makeSendFriendMessage({ directory, ties, outbox, now, wake }),
    listFriends: makeListFriends({ ties, describeSubusers }),
    getMessageStatus: makeGetMessageStatus({ outbox }),
    checkDelivery: makeCheckDelivery({ directory, ties }),
  };
}
