import { randomInt, randomUUID } from 'node:crypto';
import { createId } from '@daycare/api/create-id';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import {
  type CountInInboxes,
  ChangeHints,
  DeadLetterStore,
  OutboxStore,
  type RowTie,
} from '@daycare/messaging';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import {
  connectPeers,
  consumeUserNotices,
  DeletedUserStore,
  makeSweepDeletedUsers,
  openMongo,
  openNats,
  repeat,
  startOutbox,
  systemStreamOf,
  type BuiltService,
  type ForgetUser,
  type PeerAccess,
  type ServiceKit,
} from '@daycare/service-kit';
import { buildUsecases } from './build-usecases';
import type { Config } from './config';
import { pairId } from './domain/tie/pair';
import { indexes } from './indexes';
import { makeCountInInboxes } from './rpc/agent-runtime-client';
import { makeLimitBlocks } from './guards/limit-blocks';
import { socialGraphHandler } from './rpc/social-graph-handler';
import { makeDescribeSubuser, makeFindNames, makeFindOwnSubusers } from './rpc/identity-client';
import { NoticeSource } from './store/notice-source';
import { openTieStores } from './store/open-tie-stores';
import { makeForgetUser } from './usecases/forget-user';
import { makeHintSharers } from './usecases/shares/hint-sharers';
import { makeSyncSharedNames, type SyncSharedNames } from './usecases/shares/sync-shared-names';

const name = 'social-graph';
const sweepEveryMs = 60_000;
const maxRepublishAfterMs = 5 * 60_000;
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const peerAccess = await connectPeers(name, config, kit);
  const countInInboxes = openInboxCounts(config, peerAccess, kit);
  const stores = await openStores(config, countInInboxes, kit);
  const { ties, changes, outbox, deletedUsers } = stores;
  const { connection } = await openNats(config, name, kit);
  const relay = startOutbox(config, { outbox, sources: [stores.notices], connection }, kit);
  ties.onNotices((messages) => relay.publish(messages));
  const hints = new ChangeHints(connection, config.natsPrefix);
  const hint = (userIds: readonly string[]): void => hints.publish(userIds);
  const endTie = (tie: RowTie): Promise<void> => outbox.endTie(tie);
  const forgetUser = makeForgetUser({ ties, changes, deletedUsers, endTie, hint, now });
  const describeSubuser = makeDescribeSubuser(peerAccess.identity, peerAccess.credential);
  const syncSharedNames = makeSyncSharedNames({ ties, describeSubuser });
  consumeEvents({ config, kit, connection, stores, hints, hint, forgetUser, syncSharedNames });
  const sweep = makeSweepDeletedUsers({ deletedUsers, now }, forgetUser);
  repeat('clean up after deleted users', sweepEveryMs, sweep, kit);
  const usecases = buildUsecases({
    ties,
    changes,
    deletedUsers,
    outbox,
    directory: peerAccess.directory,
    describeSubuser,
    findOwnSubusers: makeFindOwnSubusers(peerAccess.identity, peerAccess.credential),
    findNames: makeFindNames(peerAccess.identity, peerAccess.credential),
    syncSharedNames,
    policy: config.policy,
    limits: config.limits,
    addressLimits: config.addressLimits,
    limitBlocks: makeLimitBlocks(config.blocksPerHour),
    forgetUser,
    endTie,
    publishAgain: async (noticeIds) => {
      await stores.notices.release(noticeIds, now());
      relay.wake();
    },
    now,
    newId: randomUUID,
    hint,
    log: kit.log,
  });
  const stopping = new AbortController();
  const { directory } = peerAccess;
  kit.stop.add('quiesce', 'streams', async () => stopping.abort());
  const handler = socialGraphHandler(usecases, {
    status: kit.status.handlers,
    stopping: stopping.signal,
    notFoundPerMinute: config.notFoundPerMinute,
    fillers: {
      // No user has such a nametag: nametags have two words, and at most ten digits.
      nametags: () => directory.findByNametag(`a${randomInt(2 ** 47)}`),
      ids: () => directory.findById(createId()),
      reads: () => ties.find(pairId(createId(), createId())),
    },
  });
  const services = [handler];
  return { services, authenticate: peerAccess.authenticate };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores(config: Config, countInInboxes: CountInInboxes, kit: ServiceKit) {
  const { db } = await openMongo(config, name, indexes, kit);
  const { republishAfterMs } = config;
  const outbox = new OutboxStore(db, name, countInInboxes);
  const { ties, budgets, changes } = openTieStores({ db, outbox, republishAfterMs });
  return {
    ties,
    budgets,
    changes,
    outbox,
    notices: new NoticeSource(db, { republishAfterMs, maxRepublishAfterMs }, (tie) =>
      outbox.endTie(tie),
    ),
    deletedUsers: new DeletedUserStore(db),
    deadLetters: new DeadLetterStore(db),
  };
}

function openInboxCounts(
  { tls, agentRuntimeAddress: address }: Config,
  { credential }: PeerAccess,
  { stop }: ServiceKit,
): CountInInboxes {
  const credentials = channelCredentials(tls);
  const agentRuntime = createRpcClient(AgentRuntimeServiceService, {
    address,
    credentials,
    onUnauthenticated: () => void credential.onRefused(),
  });
  stop.add('close', 'agent-runtime', async () => agentRuntime.close());
  return makeCountInInboxes(agentRuntime, credential);
}

interface EventDeps {
  readonly config: Config;
  readonly kit: ServiceKit;
  readonly connection: Awaited<ReturnType<typeof openNats>>['connection'];
  readonly stores: Stores;
  readonly hints: ChangeHints;
  readonly hint: (userIds: readonly string[]) => void;
  readonly forgetUser: ForgetUser;
  readonly syncSharedNames: SyncSharedNames;
}

function consumeEvents({
  config,
  kit,
  connection,
  stores: { ties, outbox, deadLetters },
  hints,
  hint,
  forgetUser,
  syncSharedNames,
}: EventDeps): void {
  const hintSharers = makeHintSharers({ ties, hint });
  hints.onGatewayCreated(name, (subuserId) => {
    hintSharers(subuserId).catch((err: unknown) =>
      kit.log.warn({ err }, 'change hint failed; watchers will poll'),
    );
  });
  consumeUserNotices({
    service: name,
    connection,
    stream: systemStreamOf(config),
    forgetUser,
    markMessagesDropped: (messageIds) => outbox.markDropped(messageIds),
    renameUser: async (userId) => {
      await syncSharedNames(userId);
      await hintSharers(userId);
    },
    storeDeadLetter: (letter) => deadLetters.add(letter, now()),
    kit,
  });
}
