import { createHash } from 'node:crypto';
import { BSON, type Binary } from 'mongodb';
import { SystemMessage } from '@daycare/contracts/common';
import { outboxIndexes, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import {
  deletedUserIndexes,
  DeletedUserStore,
  makeSweepDeletedUsers,
  type DirectoryEntry,
} from '@daycare/service-kit';
import { testDatabase, uniqueName } from '@daycare/testing';
import { buildUsecases, type UsecasesDeps } from '../build-usecases';
import { budgetIndexes } from '../store/budget-store';
import { openTieStores } from '../store/open-tie-stores';
import type { StoredNotice, TieDocument } from '../store/tie-document';
import { tieIndexes, type TieStore } from '../store/tie-store';
import type { SocialGraphUsecases } from '../usecases';
import { makeSyncSharedNames, type SyncSharedNames } from '../usecases/shares/sync-shared-names';
import type { FriendLists } from '../usecases/list-friends';
import { makeForgetUser } from '../usecases/forget-user';
import { TestPeople } from './test-people';
import { testPolicy } from './test-policy';

export type NametagCall = 'addFriend' | 'removeFriend' | 'blockUser' | 'unblockUser';
export type SubuserCall = 'shareSubuser' | 'unshareSubuser';

const dayMs = 24 * 60 * 60 * 1000;
const policy = testPolicy({ cooldownMs: 7 * dayMs, requestNoticeEveryMs: dayMs, maxBlocks: 20 });
const limits = { perHour: 50, pending: 200 };

/** Opens the usecases on a separate database. Call `close` at the end. */
export async function openTestCalls(): Promise<TestCalls> {
  const mongo = await testDatabase('calls');
  await ensureIndexes(mongo.db, [tieIndexes, budgetIndexes, deletedUserIndexes, ...outboxIndexes]);
  return new TestCalls(mongo);
}

/** The usecases with the default limits, except those on blocks and messages, and shorthands for calling them. */
export class TestCalls {
  readonly people = new TestPeople();
  readonly ties: TieStore;
  readonly usecases: SocialGraphUsecases;
  /** What the service does when a rename notice arrives. */
  readonly syncSharedNames: SyncSharedNames;
  forgetUser: (userId: string) => Promise<void> = async () => undefined;
  sweepDeletedUsers: () => Promise<void> = async () => undefined;
  readonly maxBlocks = policy.maxBlocks;
  /** Tests of the limits change these. */
  readonly addressLimits = { perHour: 1_000_000, waiting: 1_000_000 };
  limitBlocks: UsecasesDeps['limitBlocks'] = () => undefined;
  /**
   * The time that the usecases use as the current one. It must be close to the real time, or MongoDB would delete
   * documents that have not expired by this clock.
   */
  clock = new Date();

  constructor(readonly mongo: MongoConnection) {
    const { db } = mongo;
    const outbox = new OutboxStore(db, 'social-graph');
    const { ties, changes } = openTieStores({ db, outbox, republishAfterMs: 15_000 });
    this.ties = ties;
    const { describeSubuser } = this.people;
    this.syncSharedNames = makeSyncSharedNames({ ties, describeSubuser });
    this.usecases = this.#build({ ties, changes, outbox });
  }

  #build(stores: Pick<UsecasesDeps, 'ties' | 'changes' | 'outbox'>): SocialGraphUsecases {
    const { people, mongo } = this;
    const now = (): Date => this.clock;
    const hint = (): void => undefined;
    const endTie: UsecasesDeps['endTie'] = (tie) => stores.outbox.endTie(tie);
    const deletedUsers = new DeletedUserStore(mongo.db);
    this.forgetUser = makeForgetUser({ ...stores, deletedUsers, endTie, now, hint });
    const { forgetUser, syncSharedNames } = this;
    this.sweepDeletedUsers = makeSweepDeletedUsers({ deletedUsers, now }, forgetUser);
    const { directory, describeSubuser, findOwnSubusers, findNames } = people;
    return buildUsecases({
      ...stores,
      deletedUsers,
      directory,
      describeSubuser,
      findOwnSubusers,
      findNames,
      syncSharedNames,
      policy,
      limits,
      addressLimits: this.addressLimits,
      limitBlocks: (userId) => this.limitBlocks(userId),
      forgetUser,
      now,
      newId: () => uniqueName('id'),
      hint,
      endTie,
      publishAgain: async () => undefined,
      log: { warn: () => undefined },
    });
  }

  call(name: NametagCall, caller: DirectoryEntry, nametag: string, requestId = uniqueName('r')) {
    return this.usecases[name]({ callerId: caller.userId, requestId, nametag });
  }

  send(caller: DirectoryEntry, nametag: string, message = 'Hello', requestId = uniqueName('r')) {
    const from = { callerId: caller.userId, agentId: undefined, turn: {} };
    return this.usecases.sendFriendMessage({ ...from, requestId, nametag, message });
  }

  share(
    name: SubuserCall,
    caller: DirectoryEntry,
    friendNametag: string,
    subuserId: string,
    requestId = uniqueName('r'),
  ) {
    return this.usecases[name]({ callerId: caller.userId, requestId, friendNametag, subuserId });
  }

  async list(caller: DirectoryEntry, pageSize = 0, pageToken = ''): Promise<FriendLists> {
    const call = { callerId: caller.userId, pageSize, pageToken };
    return (await this.usecases.listFriends(call)) as FriendLists;
  }

  async newFriends(): Promise<[DirectoryEntry, DirectoryEntry]> {
    const [ada, bob] = [this.people.add(), this.people.add()];
    await this.call('addFriend', ada, bob.nametag);
    await this.call('addFriend', bob, ada.nametag);
    return [ada, bob];
  }

  /** Returns the messages waiting for a user: first the notices, then the other messages, in order within each lane. */
  async outboxOf({ userId }: DirectoryEntry): Promise<SystemMessage[]> {
    const rows = await this.mongo.db
      .collection<{ payload: Binary }>('outbox')
      .find({ recipientUserId: userId })
      .sort({ lane: 1, seq: 1 })
      .toArray();
    const waiting = [...(await this.#noticesTo(userId)), ...rows];
    return waiting.map(({ payload }) => SystemMessage.decode(payload.buffer));
  }

  async #noticesTo(userId: string): Promise<StoredNotice[]> {
    const ties = await this.mongo.db
      .collection<TieDocument>('ties')
      .find({ $or: [{ low: userId }, { high: userId }] })
      .toArray();
    return ties.flatMap(({ low, notices = [] }) =>
      notices.filter(({ to }) => to === (low === userId ? 'low' : 'high')),
    );
  }

  /** Returns a hash of each stored tie, message and budget, so that a test can check that nothing changed. */
  async stored(): Promise<string[]> {
    const names = ['ties', 'outbox', 'request_budgets'];
    const all = await Promise.all(
      names.map((name) =>
        // Reservations do not wait for a majority.
        this.mongo.db
          .collection(name, { readConcern: { level: 'local' } })
          .find()
          .sort({ _id: 1 })
          .toArray(),
      ),
    );
    return all.flat().map((document) => {
      const hash = createHash('sha256').update(BSON.serialize(document)).digest('hex');
      return `${String(document._id)} ${hash}`;
    });
  }

  close(): Promise<void> {
    return this.mongo.close();
  }
}
