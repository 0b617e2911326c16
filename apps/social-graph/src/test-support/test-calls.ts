import { createHash } from 'node:crypto';
import { BSON, type Binary } from 'mongodb';
import { SystemMessage } from '@daycare/contracts/common';
import { outboxIndexes, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import type { DirectoryEntry } from '@daycare/service-kit';
import { testDatabase, uniqueName } from '@daycare/testing';
import { budgetIndexes, BudgetStore } from '../store/budget-store';
import { goneUserIndexes, GoneUserStore } from '../store/gone-user-store';
import { TieChanges } from '../store/tie-changes';
import { tieIndexes, TieStore } from '../store/tie-store';
import type { SocialGraphUsecases } from '../usecases';
import { makeAddFriend, makeRemoveFriend } from '../usecases/add-friend';
import { makeBlockUser, makeUnblockUser } from '../usecases/block-user';
import { makeChangeTie } from '../usecases/change-tie';
import { makeForgetUser, makeSweepGoneUsers } from '../usecases/forget-user';
import { makeCheckDelivery } from '../usecases/check-delivery';
import { makeGetMessageStatus } from '../usecases/get-message-status';
import { makeListFriends } from '../usecases/list-friends';
import { makeSendFriendMessage } from '../usecases/send-friend-message';
import { makeShareSubuser, makeUnshareSubuser } from '../usecases/share-subuser';
import { TestPeople } from './test-people';

export type AboutNametag = 'addFriend' | 'removeFriend' | 'blockUser' | 'unblockUser';
export type AboutSubuser = 'shareSubuser' | 'unshareSubuser';

const dayMs = 24 * 60 * 60 * 1000;
const policy = { cooldownMs: 7 * dayMs, requestNoticeEveryMs: dayMs };
const limits = { perHour: 50, pending: 200 };

/** A database of its own with the usecases on it. Call `close` at the end. */
export async function openTestCalls(): Promise<TestCalls> {
  const mongo = await testDatabase('calls');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, goneUserIndexes, ...outboxIndexes]);
  return new TestCalls(mongo);
}

/** The usecases with the limits of an instance that says nothing else, and short ways to call them. */
export class TestCalls {
  readonly people = new TestPeople();
  readonly ties: TieStore;
  readonly usecases: SocialGraphUsecases;
  forgetUser: (userId: string) => Promise<void> = async () => undefined;
  sweepGoneUsers: () => Promise<void> = async () => undefined;
  /** What the usecases take for the present. */
  clock = new Date('2026-01-01T00:00:00Z');

  constructor(readonly mongo: MongoConnection) {
    this.ties = new TieStore(mongo.db);
    this.usecases = this.#build();
  }

  #build(): SocialGraphUsecases {
    const { ties, people, mongo } = this;
    const { directory } = people;
    const outbox = new OutboxStore(mongo.db, 'social-graph');
    const budgets = new BudgetStore(mongo.db);
    const changes = new TieChanges({ client: mongo.client, ties, budgets, outbox });
    const now = (): Date => this.clock;
    const wake = (): void => undefined;
    const hint = wake;
    const newId = (): string => uniqueName('notice');
    const gone = new GoneUserStore(mongo.db);
    this.forgetUser = makeForgetUser({ ties, changes, gone, now, wake, hint });
    const { forgetUser } = this;
    this.sweepGoneUsers = makeSweepGoneUsers({ gone, now }, forgetUser);
    const common = { ties, changes, gone, policy, limits, now, newId, wake, hint, forgetUser };
    const changeTie = makeChangeTie(common);
    const calls = { directory, changeTie, now };
    const sharing = { ...calls, describeSubuser: people.describeSubuser };
    return {
      addFriend: makeAddFriend(calls),
      removeFriend: makeRemoveFriend(calls),
      blockUser: makeBlockUser(calls),
      unblockUser: makeUnblockUser(calls),
      shareSubuser: makeShareSubuser(sharing),
      unshareSubuser: makeUnshareSubuser(sharing),
      sendFriendMessage: makeSendFriendMessage({ directory, ties, outbox, now, wake }),
      listFriends: makeListFriends({ ties, describeSubusers: people.describeSubusers }),
      getMessageStatus: makeGetMessageStatus({ outbox }),
      checkDelivery: makeCheckDelivery({ directory, ties }),
    };
  }

  call(name: AboutNametag, by: DirectoryEntry, nametag: string, requestId = uniqueName('r')) {
    return this.usecases[name]({ callerId: by.userId, requestId, nametag });
  }

  send(by: DirectoryEntry, nametag: string, message = 'Hello', requestId = uniqueName('r')) {
    const from = { callerId: by.userId, agentId: undefined, hops: 0 };
    return this.usecases.sendFriendMessage({ ...from, requestId, nametag, message });
  }

  share(
    name: AboutSubuser,
    by: DirectoryEntry,
    friendNametag: string,
    subuserId: string,
    requestId = uniqueName('r'),
  ) {
    return this.usecases[name]({ callerId: by.userId, requestId, friendNametag, subuserId });
  }

  list(by: DirectoryEntry, pageSize = 0, pageToken = '') {
    return this.usecases.listFriends({ callerId: by.userId, pageSize, pageToken });
  }

  async newFriends(): Promise<[DirectoryEntry, DirectoryEntry]> {
    const [ada, bob] = [this.people.add(), this.people.add()];
    await this.call('addFriend', ada, bob.nametag);
    await this.call('addFriend', bob, ada.nametag);
    return [ada, bob];
  }

  /** What is on its way to a user, lane by lane in order. */
  async heardBy({ userId }: DirectoryEntry): Promise<SystemMessage[]> {
    const rows = await this.mongo.db
      .collection<{ payload: Binary }>('outbox')
      .find({ recipientUserId: userId })
      .sort({ lane: 1, seq: 1 })
      .toArray();
    return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
  }

  /** A print of everything that is stored, to be compared with what is stored later. */
  async stored(): Promise<string[]> {
    const names = ['ties', 'outbox', 'request_budgets'];
    const all = await Promise.all(
      names.map((name) => this.mongo.db.collection(name).find().sort({ _id: 1 }).toArray()),
    );
    return all.flat().map((document) => {
      const print = createHash('sha256').update(BSON.serialize(document)).digest('hex');
      return `${String(document._id)} ${print}`;
    });
  }

  close(): Promise<void> {
    return this.mongo.close();
  }
}
