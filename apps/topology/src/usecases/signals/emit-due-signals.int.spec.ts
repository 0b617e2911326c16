import { describe, expect, it, jest } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { SignalChanges } from '../../store/signal-changes';
import { buildUsecases, emission } from '../../test-support/test-wiring';
import { useTestSignals } from '../../test-support/test-signals';
import { deliveriesOf } from './emit-signal';

const dayMs = 24 * 60 * 60 * 1000;

const { wiring, agents, subscribe, unsubscribe, delivered, listAll } = useTestSignals();

describe('delayed signals', () => {
  const later = (changes = {}) => emission(agents.emitter, { delayMs: 1_000, ...changes });

  it('a delayed signal is delivered when it is due, to the agents subscribed at that time', async () => {
    const early = { ...agents.listener, agentId: createId() };
    await subscribe(early, 'build:*');
    const returned = await wiring.emitSignal(later());
    await wiring.emitDueSignals();
    expect(await wiring.deliveredTo(early.agentId)).toEqual([]);
    await unsubscribe(early, 'build:*');
    await subscribe(agents.listener, 'build:*');
    wiring.advanceMs(1_000);
    await Promise.all([wiring.emitDueSignals(), wiring.emitDueSignals(), wiring.emitDueSignals()]);
    expect(await wiring.deliveredTo(early.agentId)).toEqual([]);
    expect(await delivered()).toHaveLength(1);
    expect(returned.state).toBe('waiting');
    expect(await listAll({ state: 'emitted' })).toMatchObject([{ id: returned.id }]);
    expect(wiring.stuck).toEqual([]);
  });

  it('emitting due signals returns the time until the next signal if that is due within the look-ahead time', async () => {
    wiring.advanceMs(60_000);
    await wiring.emitDueSignals();
    await wiring.emitSignal(later({ delayMs: 2_500 }));
    expect(await wiring.emitDueSignals()).toBeUndefined();
    await wiring.emitSignal(later({ delayMs: 1_500 }));
    const waitMs = (await wiring.emitDueSignals()) ?? 0;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(1_500);
  });

  it('a delayed signal is replaced only by a later one with the same type and repeat key', async () => {
    await subscribe(agents.listener, '*:*');
    const first = later({ repeatKey: 'k', dataJson: '1' });
    const returned = await wiring.emitSignal(first);
    await wiring.emitSignal(later({ repeatKey: 'k', dataJson: '2' }));
    await wiring.emitSignal(later({ repeatKey: 'other', dataJson: '3' }));
    await wiring.emitSignal(later({ repeatKey: 'k', dataJson: '4', type: 'build:failed' }));
    expect(await wiring.emitSignal(first)).toEqual(returned);
    wiring.advanceMs(1_000);
    await wiring.emitDueSignals();
    const texts = await delivered();
    expect(texts.map((text) => text.at(-1)).sort()).toEqual(['2', '3', '4']);
  });

  it('a delayed signal is replaced by an undelayed one with the same type and repeat key', async () => {
    await subscribe(agents.listener, '*:*');
    await wiring.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
    await wiring.emitSignal(emission(agents.emitter, { repeatKey: 'k', dataJson: '2' }));
    wiring.advanceMs(1_000);
    await wiring.emitDueSignals();
    expect(await delivered()).toEqual([expect.stringMatching(/2$/)]);
  });

  it.each([0, 1_000])(
    'a user’s waiting signal is not replaced by a guest’s signal with a delay of %s ms',
    async (delayMs) => {
      await subscribe(agents.listener, '*:*');
      await wiring.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
      const caller = { ...agents.emitter, trust: 'guest' as const };
      const guestSignal = emission(caller, { repeatKey: 'k', dataJson: '2', delayMs });
      await expect(wiring.emitSignal(guestSignal)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      wiring.advanceMs(1_000);
      await wiring.emitDueSignals();
      expect(await delivered()).toEqual([expect.stringMatching(/1$/)]);
    },
  );

  it('a signal from a turn with trust own replaces one from a person’s turn, which replaces one from a guest’s turn', async () => {
    await subscribe(agents.listener, '*:*');
    for (const [index, trust] of (['guest', 'person', 'own'] as const).entries())
      await wiring.emitSignal(
        emission(
          { ...agents.emitter, trust },
          { delayMs: 1_000, repeatKey: 'k', dataJson: `${index}` },
        ),
      );
    wiring.advanceMs(1_000);
    await wiring.emitDueSignals();
    expect(await delivered()).toEqual([expect.stringMatching(/2$/)]);
  });

  it('concurrent replacements leave a single delayed signal waiting', async () => {
    const calls = Array.from({ length: 12 }, (_, n) =>
      wiring.emitSignal(later({ repeatKey: 'k', dataJson: String(n) })),
    );
    await Promise.all(calls);
    expect(await listAll({ state: 'waiting' })).toHaveLength(1);
  });

  it('a delayed signal is either emitted or replaced when both are attempted as it becomes due', async () => {
    await subscribe(agents.listener, '*:*');
    for (let round = 0; round < 8; round += 1) {
      const repeatKey = `k${round}`;
      await wiring.emitSignal(later({ repeatKey, dataJson: '1' }));
      wiring.advanceMs(1_000);
      const replacement = wiring.emitSignal(later({ repeatKey, dataJson: '2' }));
      await Promise.all([replacement, wiring.emitDueSignals()]);
    }
    wiring.advanceMs(1_000);
    await wiring.emitDueSignals();
    const texts = await delivered();
    const replaced = await wiring.mongo.db
      .collection('signals')
      .countDocuments({ userId: agents.emitter.userId, state: 'replaced' });
    expect(texts.filter((text) => text.endsWith('2'))).toHaveLength(8);
    expect(texts.filter((text) => text.endsWith('1'))).toHaveLength(8 - replaced);
  });

  it('a delayed signal is not emitted by a replica that read it before it was replaced', async () => {
    await subscribe(agents.listener, '*:*');
    await wiring.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
    const [stale] = await listAll({ state: 'waiting' });
    await wiring.emitSignal(later({ repeatKey: 'k', dataJson: '2' }));
    const { signalChanges } = wiring.stores;
    const emission = await signalChanges.emitDue(stale!, new Date(), deliveriesOf(stale!));
    expect(emission).toBe('known');
    expect(await delivered()).toEqual([]);
  });

  it('one owner’s many due signals do not hold up another owner’s', async () => {
    wiring.advanceMs(60_000);
    await wiring.emitDueSignals();
    await subscribe(agents.listener, 'build:*');
    for (let index = 0; index < 45; index += 1) {
      await wiring.emitSignal(later({ dataJson: String(index) }));
      wiring.advanceMs(1);
    }
    const subuser = { userId: createId(), parentUserId: agents.emitter.userId };
    await wiring.emitSignal(emission(subuser, { delayMs: 1_000 }));
    wiring.advanceMs(1);
    const otherAgent = { userId: createId(), agentId: createId() };
    await wiring.emitSignal(emission(otherAgent, { delayMs: 1_000 }));
    wiring.advanceMs(1_000);
    const emit = jest.spyOn(SignalChanges.prototype, 'emitDue');
    await wiring.emitDueSignals();
    const order = emit.mock.calls.map(([{ userId }]) => userId);
    emit.mockRestore();
    expect(order).toHaveLength(47);
    expect(order.indexOf(otherAgent.userId)).toBe(10);
    // A subuser's signals are emitted in its owner's slices.
    expect(order.indexOf(subuser.userId)).toBe(46);
    expect((await delivered()).map((text) => Number(text.split('Data: ')[1]))).toEqual(
      Array.from({ length: 45 }, (_, index) => index),
    );
  });

  /** A replica whose clock is a day ahead, and which cannot deliver to this agent. */
  function replicaThatCannotDeliver(agentId: string) {
    const { outbox } = wiring.stores;
    const append: typeof outbox.append = (drafts, session) =>
      drafts.some(({ lane }) => lane.endsWith(`>${agentId}`))
        ? Promise.reject(new Error('crashed'))
        : outbox.append(drafts, session);
    const failing = Object.create(outbox, { append: { value: append } }) as typeof outbox;
    const deps = { client: wiring.mongo.client, ...wiring.stores, outbox: failing };
    const stuck: unknown[] = [];
    const now = () => new Date(Date.now() + dayMs);
    const stores = { ...wiring.stores, signalChanges: new SignalChanges(deps) };
    return { ...buildUsecases(stores, { now, agents: wiring.agents, stuck }), stuck };
  }

  it('a delayed signal is delivered even if many earlier signals fail', async () => {
    await subscribe(agents.listener, 'build:*');
    await Promise.all(Array.from({ length: 100 }, () => wiring.emitSignal(later())));
    wiring.advanceMs(1);
    const otherAgent = { userId: createId(), agentId: createId() };
    await subscribe(otherAgent, 'build:*');
    await wiring.emitSignal(emission({ userId: otherAgent.userId }, { delayMs: 1_000 }));
    const replica = replicaThatCannotDeliver(agents.listener.agentId);
    await replica.emitDueSignals();
    expect(replica.stuck).toHaveLength(100);
    expect(await wiring.deliveredTo(otherAgent.agentId)).toHaveLength(1);
    await replica.emitDueSignals();
    expect(replica.stuck).toHaveLength(100);
  });

  it('a delayed signal stays waiting when the replica emitting it crashes, and is emitted later', async () => {
    await subscribe(agents.listener, 'build:*');
    await wiring.emitSignal(later());
    const replica = replicaThatCannotDeliver(agents.listener.agentId);
    await replica.emitDueSignals();
    expect(replica.stuck).toEqual([new Error('crashed')]);
    expect(await delivered()).toEqual([]);
    expect(await listAll({ state: 'waiting' })).toHaveLength(1);
    wiring.advanceMs(dayMs + 60_000);
    await wiring.emitDueSignals();
    expect(await delivered()).toHaveLength(1);
  });
});
