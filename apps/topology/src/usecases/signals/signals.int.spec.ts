import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { Trust } from '@daycare/contracts/common';
import type { Viewer } from '../../domain/viewer';
import { SignalChanges } from '../../store/signal-changes';
import {
  buildUsecases,
  emission,
  signal,
  useTestWiring,
  type TestAgent,
} from '../../test-support/test-wiring';
import { deliveriesOf } from './emit-signal';

const dayMs = 24 * 60 * 60 * 1000;

const on = useTestWiring();

let emitter: TestAgent;
let listener: TestAgent;
beforeEach(() => {
  const userId = createId();
  emitter = { userId, agentId: createId() };
  listener = { userId, agentId: createId() };
});

const subscribe = (caller: Viewer, pattern: string, silent?: boolean, requestId = createId()) =>
  on.subscribeSignal({ caller, requestId, pattern, silent, agentId: '', signal });
const unsubscribe = (caller: Viewer, pattern: string, requestId = createId()) =>
  on.unsubscribeSignal({ caller, requestId, pattern, agentId: '' });
const delivered = async () => (await on.deliveredTo(listener.agentId)).map(({ text }) => text);
const listAll = async (changes = {}) => {
  const call = { userId: emitter.userId, pageSize: 0, pageToken: '', pattern: '' };
  return (await on.listSignals({ ...call, state: undefined, ...changes })).signals;
};

describe('an emitted signal', () => {
  it('an emitted signal is delivered to the user’s other agents with a matching pattern, silently by default', async () => {
    const loud = { ...listener, agentId: createId() };
    const stranger = { userId: createId(), agentId: createId() };
    await subscribe(listener, 'build:*');
    await subscribe(loud, 'build:done', false);
    for (const caller of [emitter, stranger]) await subscribe(caller, 'build:*');
    const { id } = await on.emitSignal(emission(emitter, { dataJson: ' {"ok": true} ' }));
    const text = `Signal build:done from agent ${emitter.agentId}\nData: {"ok": true}`;
    const expected = { origin: `signal:${id}`, text, senderUserId: emitter.userId };
    expect(await on.deliveredTo(listener.agentId)).toMatchObject([{ ...expected, silent: true }]);
    expect(await on.deliveredTo(loud.agentId)).toMatchObject([{ ...expected, silent: false }]);
    expect(await on.deliveredTo(emitter.agentId)).toEqual([]);
    expect(await on.deliveredTo(stranger.agentId)).toEqual([]);
  });

  it('an emitted signal names its emitter and carries the trust and the label of the turn', async () => {
    await subscribe(listener, 'build:*');
    const turn = { hops: 3, trust: 'guest', carriesPrivate: true } as const;
    await on.emitSignal(emission({ ...emitter, ...turn }));
    await on.emitSignal(emission({ ...emitter, ...turn }, { delayMs: 1_000 }));
    on.passMs(1_000);
    await on.emitDueSignals();
    const expected = {
      senderAgentId: emitter.agentId,
      hops: 3,
      trust: Trust.GUEST,
      carriesPrivate: true,
    };
    expect(await on.deliveredTo(listener.agentId)).toMatchObject([expected, expected]);
    expect(await listAll()).toMatchObject([{ trust: 'guest' }, { trust: 'guest' }]);
  });

  it.each([
    ['a person', undefined, Trust.PERSON, undefined],
    ['an agent with its own token', 'agent', Trust.OWN, undefined],
    ['an agent whose turn a person started', 'agent', Trust.PERSON, 'person'],
    ['an agent whose turn a webhook started', 'agent', Trust.OUTSIDE, 'outside'],
  ] as const)('a signal of %s has its emitter’s trust', async (_, agentId, trust, turn) => {
    await subscribe(listener, 'build:*');
    await on.emitSignal(emission({ userId: emitter.userId, agentId, trust: turn }));
    expect(await on.deliveredTo(listener.agentId)).toMatchObject([
      { trust, senderAgentId: agentId ?? '', senderUserId: emitter.userId, carriesPrivate: false },
    ]);
  });

  it('an emitted signal is stored and delivered once, even for concurrent retries', async () => {
    await subscribe(listener, 'build:*');
    const call = emission(emitter);
    const answers = await Promise.all(Array.from({ length: 6 }, () => on.emitSignal(call)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await on.emitSignal(call)).toEqual(answers[0]);
    expect(await delivered()).toHaveLength(1);
    expect(await listAll()).toHaveLength(1);
  });

  it('signals are delivered in the order of emission', async () => {
    await subscribe(listener, '*');
    for (const type of ['one', 'two', 'three']) await on.emitSignal(emission(emitter, { type }));
    expect(await delivered()).toEqual(
      ['one', 'two', 'three'].map((type) => expect.stringContaining(`Signal ${type} `)),
    );
  });

  it.each([
    [{ type: '' }, 'type'],
    [{ type: 'a:*' }, 'type'],
    [{ dataJson: '{' }, 'data_json'],
    [{ dataJson: `"${'x'.repeat(32_768)}"` }, 'data_json'],
    [{ delayMs: -1 }, 'delay_ms'],
    [{ repeatKey: 'x'.repeat(201) }, 'repeat_key'],
    [{ requestId: '' }, 'request_id'],
  ])('refuses a signal with %j', async (changes, field) => {
    await expect(on.emitSignal(emission(emitter, changes))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    expect(await listAll()).toEqual([]);
  });
});

describe('a delayed signal', () => {
  const later = (changes = {}) => emission(emitter, { delayMs: 1_000, ...changes });

  it('a delayed signal is delivered when it is due, to the agents subscribed then', async () => {
    const early = { ...listener, agentId: createId() };
    await subscribe(early, 'build:*');
    const answer = await on.emitSignal(later());
    await on.emitDueSignals();
    expect(await on.deliveredTo(early.agentId)).toEqual([]);
    await unsubscribe(early, 'build:*');
    await subscribe(listener, 'build:*');
    on.passMs(1_000);
    await Promise.all([on.emitDueSignals(), on.emitDueSignals(), on.emitDueSignals()]);
    expect(await on.deliveredTo(early.agentId)).toEqual([]);
    expect(await delivered()).toHaveLength(1);
    expect(answer.state).toBe('waiting');
    expect(await listAll({ state: 'emitted' })).toMatchObject([{ id: answer.id }]);
    expect(on.stuck).toEqual([]);
  });

  it('emitting due signals returns the time until the next one, if it is in sight', async () => {
    on.passMs(60_000);
    await on.emitDueSignals();
    await on.emitSignal(later({ delayMs: 2_500 }));
    expect(await on.emitDueSignals()).toBeUndefined();
    await on.emitSignal(later({ delayMs: 1_500 }));
    const waitMs = (await on.emitDueSignals()) ?? 0;
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(1_500);
  });

  it('a delayed signal is replaced only by a later one with the same type and repeat key', async () => {
    await subscribe(listener, '*:*');
    const first = later({ repeatKey: 'k', dataJson: '1' });
    const answer = await on.emitSignal(first);
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '2' }));
    await on.emitSignal(later({ repeatKey: 'other', dataJson: '3' }));
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '4', type: 'build:failed' }));
    expect(await on.emitSignal(first)).toEqual(answer);
    on.passMs(1_000);
    await on.emitDueSignals();
    const texts = await delivered();
    expect(texts.map((text) => text.at(-1)).sort()).toEqual(['2', '3', '4']);
  });

  it('a delayed signal is replaced by a signal without delay', async () => {
    await subscribe(listener, '*:*');
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
    await on.emitSignal(emission(emitter, { repeatKey: 'k', dataJson: '2' }));
    on.passMs(1_000);
    await on.emitDueSignals();
    expect(await delivered()).toEqual([expect.stringMatching(/2$/)]);
  });

  it.each([0, 1_000])(
    'a waiting signal of the user is not replaced by a guest’s with a delay of %s ms',
    async (delayMs) => {
      await subscribe(listener, '*:*');
      await on.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
      const caller = { ...emitter, trust: 'guest' as const };
      const guests = emission(caller, { repeatKey: 'k', dataJson: '2', delayMs });
      await expect(on.emitSignal(guests)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
      on.passMs(1_000);
      await on.emitDueSignals();
      expect(await delivered()).toEqual([expect.stringMatching(/1$/)]);
    },
  );

  it('the user’s agents replace each other’s and guests’ waiting signals, whoever began their chain', async () => {
    await subscribe(listener, '*:*');
    for (const [at, trust] of (['guest', 'person', 'own'] as const).entries())
      await on.emitSignal(
        emission({ ...emitter, trust }, { delayMs: 1_000, repeatKey: 'k', dataJson: `${at}` }),
      );
    on.passMs(1_000);
    await on.emitDueSignals();
    expect(await delivered()).toEqual([expect.stringMatching(/2$/)]);
  });

  it('concurrent replacements leave a single delayed signal waiting', async () => {
    const calls = Array.from({ length: 12 }, (_, n) =>
      on.emitSignal(later({ repeatKey: 'k', dataJson: String(n) })),
    );
    await Promise.all(calls);
    expect(await listAll({ state: 'waiting' })).toHaveLength(1);
  });

  it('a delayed signal is either emitted or replaced when both happen as it becomes due', async () => {
    await subscribe(listener, '*:*');
    for (let round = 0; round < 8; round += 1) {
      const repeatKey = `k${round}`;
      await on.emitSignal(later({ repeatKey, dataJson: '1' }));
      on.passMs(1_000);
      const replacement = on.emitSignal(later({ repeatKey, dataJson: '2' }));
      await Promise.all([replacement, on.emitDueSignals()]);
    }
    on.passMs(1_000);
    await on.emitDueSignals();
    const texts = await delivered();
    const replaced = await on.mongo.db
      .collection('signals')
      .countDocuments({ userId: emitter.userId, state: 'replaced' });
    expect(texts.filter((text) => text.endsWith('2'))).toHaveLength(8);
    expect(texts.filter((text) => text.endsWith('1'))).toHaveLength(8 - replaced);
  });

  it('a delayed signal is not emitted by a replica that read it before it was replaced', async () => {
    await subscribe(listener, '*:*');
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
    const [stale] = await listAll({ state: 'waiting' });
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '2' }));
    const { signalChanges } = on.stores;
    const emission = await signalChanges.emitDue(stale!, new Date(), deliveriesOf(stale!));
    expect(emission).toBe('known');
    expect(await delivered()).toEqual([]);
  });

  it('many due signals of one owner do not hold up another owner’s', async () => {
    on.passMs(60_000);
    await on.emitDueSignals();
    await subscribe(listener, 'build:*');
    for (let index = 0; index < 45; index += 1) {
      await on.emitSignal(later({ dataJson: String(index) }));
      on.passMs(1);
    }
    const subuser = { userId: createId(), parentUserId: emitter.userId };
    await on.emitSignal(emission(subuser, { delayMs: 1_000 }));
    on.passMs(1);
    const other = { userId: createId(), agentId: createId() };
    await on.emitSignal(emission(other, { delayMs: 1_000 }));
    on.passMs(1_000);
    const emit = jest.spyOn(SignalChanges.prototype, 'emitDue');
    await on.emitDueSignals();
    const order = emit.mock.calls.map(([{ userId }]) => userId);
    emit.mockRestore();
    expect(order).toHaveLength(47);
    expect(order.indexOf(other.userId)).toBe(10);
    // It shares the turns of its owner.
    expect(order.indexOf(subuser.userId)).toBe(46);
    expect((await delivered()).map((text) => Number(text.split('Data: ')[1]))).toEqual(
      Array.from({ length: 45 }, (_, index) => index),
    );
  });

  /** A replica, a day ahead, that cannot deliver to this agent. */
  function replicaThatCannotDeliver(agentId: string) {
    const { outbox } = on.stores;
    const append: typeof outbox.append = (drafts, session) =>
      drafts.some(({ lane }) => lane.endsWith(`>${agentId}`))
        ? Promise.reject(new Error('crashed'))
        : outbox.append(drafts, session);
    const failing = Object.create(outbox, { append: { value: append } }) as typeof outbox;
    const deps = { client: on.mongo.client, ...on.stores, outbox: failing };
    const stuck: unknown[] = [];
    const now = () => new Date(Date.now() + dayMs);
    const stores = { ...on.stores, signalChanges: new SignalChanges(deps) };
    return { ...buildUsecases(stores, { now, agents: on.agents, stuck }), stuck };
  }

  it('a delayed signal is delivered however many earlier signals fail', async () => {
    await subscribe(listener, 'build:*');
    await Promise.all(Array.from({ length: 100 }, () => on.emitSignal(later())));
    on.passMs(1);
    const other = { userId: createId(), agentId: createId() };
    await subscribe(other, 'build:*');
    await on.emitSignal(emission({ userId: other.userId }, { delayMs: 1_000 }));
    const replica = replicaThatCannotDeliver(listener.agentId);
    await replica.emitDueSignals();
    expect(replica.stuck).toHaveLength(100);
    expect(await on.deliveredTo(other.agentId)).toHaveLength(1);
    await replica.emitDueSignals();
    expect(replica.stuck).toHaveLength(100);
  });

  it('a delayed signal stays waiting when the replica that emits it crashes, and is emitted later', async () => {
    await subscribe(listener, 'build:*');
    await on.emitSignal(later());
    const replica = replicaThatCannotDeliver(listener.agentId);
    await replica.emitDueSignals();
    expect(replica.stuck).toEqual([new Error('crashed')]);
    expect(await delivered()).toEqual([]);
    expect(await listAll({ state: 'waiting' })).toHaveLength(1);
    on.passMs(dayMs + 60_000);
    await on.emitDueSignals();
    expect(await delivered()).toHaveLength(1);
  });
});

it('lists signals newest first, by pattern and page', async () => {
  for (const type of ['a:1', 'b:1', 'a:2', 'a:3:x']) {
    await on.emitSignal(emission(emitter, { type }));
    on.passMs(1);
  }
  const call = { userId: emitter.userId, pattern: 'a:*', state: undefined, pageSize: 1 };
  const first = await on.listSignals({ ...call, pageToken: '' });
  const second = await on.listSignals({ ...call, pageToken: first.nextPageToken });
  expect([first, second].map((page) => page.signals.map(({ type }) => type))).toEqual([
    ['a:2'],
    ['a:1'],
  ]);
  expect(second.nextPageToken).toBe('');
});
