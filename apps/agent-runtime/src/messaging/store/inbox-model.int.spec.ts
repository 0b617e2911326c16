import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import fc from 'fast-check';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import type { IncomingMessage } from '../domain/inbox-item';
import type { Recipient } from '../domain/placed-item';
import { inboxIndexes, type InboxRow } from './inbox-row';
import { InboxStore } from './inbox-store';
import { MailboxStore } from './mailbox-store';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await testDatabase('inbox-model');
  await ensureIndexes(mongo.db, [inboxIndexes]);
});
afterAll(async () => mongo.close());

type Step =
  /** A sender's next messages are delivered, or its latest ones are redelivered. */
  | {
      readonly kind: 'deliver';
      readonly sender: number;
      readonly count: number;
      readonly again: boolean;
    }
  /** A new agent becomes the lead, unless there are already three agents. */
  | { readonly kind: 'create' }
  | { readonly kind: 'route' }
  /** An agent handles its next items; after a crash, they are settled only when the agent's next step begins. */
  | {
      readonly kind: 'handle';
      readonly agent: number;
      readonly limit: number;
      readonly crash: boolean;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('deliver' as const),
    sender: fc.nat({ max: 1 }),
    count: fc.integer({ min: 1, max: 3 }),
    again: fc.boolean(),
  }),
  fc.constant({ kind: 'create' as const }),
  fc.constant({ kind: 'route' as const }),
  fc.record({
    kind: fc.constant('handle' as const),
    agent: fc.nat({ max: 2 }),
    limit: fc.integer({ min: 1, max: 3 }),
    crash: fc.boolean(),
  }),
);
/** Steps, each with the replica that takes it and whether the next step begins before this one has ended. */
const steps = fc.array(fc.tuple(step, fc.nat({ max: 1 }), fc.boolean()), { maxLength: 25 });

/** One user, whose messages two replicas deliver and handle. */
class Household {
  readonly userId = createId();
  readonly #stores = [new InboxStore(mongo.db), new InboxStore(mongo.db)];
  readonly #mailbox = new MailboxStore(mongo.db);
  readonly #agents: { readonly id: string; readonly handled: string[]; lane: Promise<unknown> }[] =
    [];
  readonly #sent: string[][] = [[], []];
  readonly #lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  readonly #unsettled: (readonly [string, readonly string[]])[] = [];

  take(step: Step, replica: number): Promise<unknown> {
    const store = this.#stores[replica]!;
    switch (step.kind) {
      case 'deliver':
        // A message is delivered only after its predecessor has been stored.
        return (this.#lanes[step.sender] = this.#lanes[step.sender]!.then(() =>
          this.#deliver(store, step),
        ));
      case 'create':
        return this.#create();
      case 'route':
        return this.#route();
      case 'handle': {
        const agent = this.#agents[step.agent];
        if (!agent) return Promise.resolve();
        return (agent.lane = agent.lane.then(() => this.#handle(store, agent, step)));
      }
    }
  }

  #recipients(): readonly Recipient[] {
    return this.#agents.map(({ id }) => ({ id, shard: 0, ownerUserId: undefined })).reverse();
  }

  /** Does what `deliver-system-messages` does. */
  async #deliver(
    store: InboxStore,
    { sender, count, again }: Extract<Step, { kind: 'deliver' }>,
  ): Promise<void> {
    const sent = this.#sent[sender]!;
    const fresh = Array.from({ length: count }, (_, index) => `${sender}-${sent.length + index}`);
    const messageIds = again && sent.length > 0 ? sent.slice(-count) : fresh;
    const recipients = this.#recipients();
    const unrouted = await this.#mailbox.usersWithUnrouted([this.userId]);
    if (recipients.length > 0 && unrouted.length > 0) await this.#route();
    await store.put(messageIds.map((id) => ({ item: this.#message(id), recipients })));
    if (messageIds === fresh) sent.push(...fresh);
    if (recipients.length === 0) await this.#route();
  }

  async #create(): Promise<void> {
    if (this.#agents.length === 3) return;
    this.#agents.push({ id: createId(), handled: [], lane: Promise.resolve() });
    await this.#route();
  }

  async #route(): Promise<void> {
    for (let hasMore = true; hasMore;) {
      hasMore = (await this.#mailbox.route(this.userId, this.#recipients(), 2)).hasMore;
    }
  }

  async #handle(
    store: InboxStore,
    { id, handled }: { readonly id: string; readonly handled: string[] },
    { limit, crash }: { readonly limit: number; readonly crash: boolean },
  ): Promise<void> {
    // Items that the agent's history has settled are settled in the inbox before the agent handles anything else.
    for (const [agentId, messageIds] of this.#unsettled)
      if (agentId === id) await this.#settle(store, id, messageIds);
    const messageIds = (await store.next({ id }, limit)).map(({ messageId }) => messageId);
    handled.push(...messageIds);
    if (crash) this.#unsettled.push([id, messageIds]);
    else await this.#settle(store, id, messageIds);
  }

  #settle(store: InboxStore, id: string, messageIds: readonly string[]): Promise<void> {
    return store.settle({ id, userId: this.userId }, messageIds, new Date());
  }

  #message(messageId: string): IncomingMessage {
    const content = { text: messageId, origin: 'friend:otter7', silent: false, hops: 0 };
    const { userId } = this;
    return { kind: 'system_message', userId, messageId, acceptedAt: new Date(), ...content };
  }

  /**
   * Handles the remaining messages, then checks that the recipients have handled every message once, and each sender's
   * messages in the order they were sent.
   */
  async check(): Promise<void> {
    if (this.#agents.length === 0) await this.take({ kind: 'create' }, 0);
    await this.#route();
    for (const agent of this.#agents) {
      const allAtOnce = { limit: 1_000, crash: false };
      await this.#handle(this.#stores[0]!, agent, allAtOnce);
      await this.#handle(this.#stores[1]!, agent, allAtOnce);
    }
    const rows = await mongo.db
      .collection<InboxRow>('inbox')
      .find({ userId: this.userId })
      .toArray();
    expect(rows.map(({ _id }) => _id).sort()).toEqual(
      this.#sent
        .flat()
        .map((id) => `${this.userId}/${id}`)
        .sort(),
    );
    for (const row of rows) {
      expect(row).not.toMatchObject({ item: expect.anything() });
      expect([row.waitingFor, row.wakeKey, row.unrouted]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(row.expiresAt).toBeInstanceOf(Date);
    }
    this.#checkAgents(rows);
  }

  #checkAgents(rows: readonly InboxRow[]): void {
    for (const { id, handled } of this.#agents) {
      expect(new Set(handled).size).toBe(handled.length);
      for (const sent of this.#sent) {
        const fromSender = handled.filter((messageId) => sent.includes(messageId));
        expect(fromSender).toEqual(sent.filter((messageId) => fromSender.includes(messageId)));
      }
      const led = rows.filter(({ leadId }) => leadId === id).map(({ _id }) => _id.split('/')[1]!);
      expect(handled).toEqual(expect.arrayContaining(led));
    }
  }
}

it('every recipient handles every message once, and each sender’s messages in the order they were sent, whatever two replicas do concurrently', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const household = new Household();
      const running: Promise<unknown>[] = [];
      for (const [each, replica, overlaps] of sequence) {
        running.push(household.take(each, replica));
        if (!overlaps) await Promise.all(running);
      }
      await Promise.all(running);
      await household.check();
    }),
    { numRuns: 150 },
  );
});
