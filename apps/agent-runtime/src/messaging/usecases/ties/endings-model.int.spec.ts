import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import fc from 'fast-check';
import type { Binary } from 'mongodb';
import { SystemMessage } from '@daycare/contracts/common';
import { OutboxSource, OutboxStore, type MessageDraft } from '@daycare/messaging';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../../agents/domain/agent';
import { buildTestDelivery, friendMail } from '../../../test-support/test-endings';
import { startTestRuntime } from '../../../test-support/test-runtime';
import type { DeliveryPlan } from '../delivery/plan-deliveries';

const runtime = useFixture(startTestRuntime);

type Step =
  /** A call that reads the tie; it stores the message immediately, or at a later `store` step. */
  | { readonly kind: 'send'; readonly isSlow: boolean }
  | { readonly kind: 'store' }
  /** The tie ends; the process may die before it has ended the tie's outbox rows. */
  | { readonly kind: 'end'; readonly dies: boolean }
  | { readonly kind: 'befriend' }
  /** The oldest closing reaches agent-runtime, which may die right after recording the closing. */
  | { readonly kind: 'close'; readonly dies: boolean }
  /** Messages reach a replica, which may die before or after storing them, or may store them later. */
  | {
      readonly kind: 'deliver';
      readonly replica: number;
      readonly count: number;
      readonly fate: 'done' | 'dies before' | 'dies after' | 'is slow';
      readonly losesReceipts: boolean;
    }
  | { readonly kind: 'finish delivery' }
  /** NATS redelivers handled messages. */
  | { readonly kind: 'repeat'; readonly replica: number }
  | { readonly kind: 'turn' }
  | { readonly kind: 'report' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), isSlow: fc.boolean() }) },
  fc.constant({ kind: 'store' as const }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), dies: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'befriend' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), dies: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('deliver' as const),
      replica: fc.nat({ max: 1 }),
      count: fc.integer({ min: 1, max: 3 }),
      fate: fc.constantFrom('done', 'dies before', 'dies after', 'is slow'),
      losesReceipts: fc.boolean(),
    }),
  },
  fc.constant({ kind: 'finish delivery' as const }),
  fc.record({ kind: fc.constant('repeat' as const), replica: fc.nat({ max: 1 }) }),
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
  fc.constant({ kind: 'report' as const }),
);

interface Sent {
  readonly id: string;
  readonly version: number;
}

/** One friend who writes to one agent, and the processes of both services that deliver the messages. */
class World {
  readonly #tieId = `${createId()}:${createId()}`;
  readonly #lane = `lane ${this.#tieId}`;
  readonly #graph = new OutboxStore(runtime.mongo.db, 'social-graph');
  readonly #relay = new OutboxSource(runtime.mongo.db, {
    republishAfterMs: 15_000,
    maxRepublishAfterMs: 60_000,
    receiptTtlMs: 3_600_000,
  });
  readonly #replicas = [buildTestDelivery(runtime), buildTestDelivery(runtime)];
  #version = 2;
  #areFriends = true;
  readonly #slowSends: Sent[] = [];
  readonly #accepted: Sent[] = [];
  readonly #closings: number[] = [];
  /** The highest version that agent-runtime has confirmed as closed. */
  #confirmedVersion = 0;
  #slowPlans: readonly DeliveryPlan[] = [];
  readonly #received: Sent[] = [];
  readonly #withoutReceipt = new Set<string>();
  /** Messages stored by a replica that died before acknowledging them. */
  readonly #unacknowledged: Sent[] = [];

  constructor(readonly agent: Agent) {}

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'send':
        return this.#send(step.isSlow);
      case 'store': {
        const sent = this.#slowSends.shift();
        return sent && this.#accept(sent);
      }
      case 'end':
        return this.#end(step.dies);
      case 'befriend':
        if (!this.#areFriends) this.#version += 1;
        this.#areFriends = true;
        return;
      case 'close':
        return this.#close(step.dies);
      case 'deliver':
        return this.#deliver(step);
      case 'finish delivery': {
        const plans = this.#slowPlans;
        this.#slowPlans = [];
        return this.#store(plans, 0, false);
      }
      case 'repeat':
        return this.#repeat(step.replica, this.#accepted.slice(0, 2));
      case 'turn':
        return this.#turn();
      case 'report':
        return this.#report();
    }
  }

  /** Repeats all interrupted steps; afterwards no message may be open. */
  async recover(): Promise<void> {
    for (const sent of this.#slowSends.splice(0)) await this.#accept(sent);
    this.#slowPlans = [];
    while (this.#closings.length > 0) await this.#close(false);
    for (let rounds = 0; rounds < 50 && (await this.#openIds()).length > 0; rounds += 1)
      await this.#deliver({ replica: 0, count: 3, fate: 'done', losesReceipts: false });
    while ((await runtime.inbox.countByAgent([this.agent])).size > 0) await this.#turn();
    await this.#repeat(0, this.#unacknowledged);
    await this.#report();
  }

  async check(): Promise<void> {
    const ids = this.#received.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const order = this.#accepted.map(({ id }) => id).filter((id) => ids.includes(id));
    expect(ids).toEqual(order);
    for (const { id, version } of this.#accepted) {
      const status = await this.#graph.status(id);
      if (!ids.includes(id)) {
        expect(version).toBeLessThan(this.#confirmedVersion);
        expect(status).toMatchObject({ state: 'dead', reason: 'no longer allowed' });
      } else if (!this.#withoutReceipt.has(id))
        expect(status).toMatchObject({ state: 'delivered' });
    }
  }

  async #send(isSlow: boolean): Promise<void> {
    if (!this.#areFriends) return;
    const sent = { id: createId(), version: this.#version };
    if (isSlow) this.#slowSends.push(sent);
    else await this.#accept(sent);
  }

  async #accept(sent: Sent): Promise<void> {
    const draft: MessageDraft = {
      id: sent.id,
      lane: this.#lane,
      origin: 'friend:otter7',
      text: sent.id,
      senderUserId: 'friend',
      recipient: { userId: this.agent.userId, target: { $case: 'foreground', value: {} } },
      tie: { id: this.#tieId, version: sent.version, subuserId: '' },
    };
    await this.#graph.append([draft]);
    this.#accepted.push(sent);
  }

  async #end(dies: boolean): Promise<void> {
    if (!this.#areFriends) return;
    this.#areFriends = false;
    this.#version += 1;
    this.#closings.push(this.#version);
    if (!dies) await this.#graph.endTie({ id: this.#tieId, version: this.#version });
  }

  async #close(dies: boolean): Promise<void> {
    const [version] = this.#closings;
    if (version === undefined) return;
    const closing = { id: this.#tieId, version };
    // If the process died before it had ended the rows, they are ended before the closing is published.
    await this.#graph.endTie(closing);
    if (dies) return this.#replicas[0]!.closedTies.close(closing);
    await this.#replicas[0]!.closeTie(closing);
    this.#confirmedVersion = Math.max(this.#confirmedVersion, version);
    this.#closings.shift();
  }

  async #deliver({
    replica,
    count,
    fate,
    losesReceipts,
  }: Omit<Extract<Step, { kind: 'deliver' }>, 'kind'>): Promise<void> {
    const openIds = await this.#openIds();
    const sent = this.#accepted.filter(({ id }) => openIds.includes(id)).slice(0, count);
    const plans = (await this.#replicas[replica]!.prepare(
      sent.map((each) => this.#mailOf(each)),
    )) as DeliveryPlan[];
    if (fate === 'done') return this.#store(plans, replica, losesReceipts);
    if (fate === 'is slow') this.#slowPlans = plans;
    if (fate === 'dies after') {
      await runtime.placeItems(plans);
      this.#unacknowledged.push(...sent);
      // In the service, a turn can begin before this sweep; the model leaves that case out.
      await this.#replicas[replica]!.sweepClosedMessages();
    }
  }

  async #store(
    plans: readonly DeliveryPlan[],
    replica: number,
    losesReceipts: boolean,
  ): Promise<void> {
    const dropped = await this.#replicas[replica]!.store(plans);
    const ids = plans.map(({ item }) => item.messageId);
    if (losesReceipts) return ids.forEach((id) => void this.#withoutReceipt.add(id));
    for (const id of ids) this.#withoutReceipt.delete(id);
    await this.#relay.settle(
      ids.map((id) => {
        const reason = dropped.get(id);
        return reason === undefined
          ? { id, outcome: 'delivered' as const }
          : { id, outcome: 'dead' as const, reason };
      }),
      new Date(),
    );
  }

  async #repeat(replica: number, sent: readonly Sent[]): Promise<void> {
    const mails = sent.map((each) => this.#mailOf(each, true));
    const refs = mails.map(({ message: { messageId: id, userId } }) => ({ id, userId }));
    const handled = await this.#replicas[replica]!.findHandled(refs);
    const again = mails.filter(({ message }) => handled.has(message.messageId));
    const plans = (await this.#replicas[replica]!.prepare(again)) as DeliveryPlan[];
    await this.#store(plans, replica, false);
  }

  /** A turn takes one message, which must not belong to a version that agent-runtime has confirmed as closed. */
  async #turn(): Promise<void> {
    const [item] = await runtime.inbox.next(this.agent, 1);
    if (!item) return;
    const sent = this.#accepted.find(({ id }) => id === item.messageId)!;
    expect(sent.version).toBeGreaterThanOrEqual(this.#confirmedVersion);
    this.#received.push(sent);
    await runtime.inbox.settle(this.agent, [item.messageId], new Date());
  }

  /** Reports dropped messages to social-graph. */
  async #report(): Promise<void> {
    const rows = runtime.mongo.db.collection<{ _id: string; payload: Binary }>('outbox');
    const reports = await rows.find({ lane: `dropped>${this.#tieId}`, open: true }).toArray();
    for (const { _id: id, payload } of reports) {
      const { notice } = SystemMessage.decode(payload.buffer);
      await this.#graph.markDropped(notice?.messageIds ?? []);
      await this.#relay.settle([{ id, outcome: 'delivered' }], new Date());
    }
  }

  #mailOf({ id, version }: Sent, isRedelivery = false) {
    const mail = friendMail(this.agent.userId, id, { id: this.#tieId, version }, id);
    return { ...mail, isRedelivery };
  }

  async #openIds(): Promise<string[]> {
    const rows = runtime.mongo.db.collection<{ _id: string }>('outbox');
    const found = await rows.find({ lane: this.#lane, open: true }).sort({ seq: 1 }).toArray();
    return found.map(({ _id }) => _id);
  }
}

it('whatever crashes occur, no message is handled after the end of its tie was confirmed, and all others are handled once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = new World(await runtime.newAgent());
      for (const each of steps) await world.take(each);
      await world.recover();
      await world.check();
    }),
    { numRuns: 40 },
  );
});
