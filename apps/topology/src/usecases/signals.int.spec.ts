import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Viewer } from '../domain/facts';
import { SignalChanges } from '../store/signal-changes';
import {
  buildUsecases,
  emission,
  signal,
  startTestWiring,
  type TestAgent,
  type TestWiring,
} from '../test-support/test-wiring';
import { deliveriesOf } from './emit-signal';

const dayMs = 24 * 60 * 60 * 1000;

let on: TestWiring;
beforeAll(async () => {
  on = await startTestWiring();
});
afterAll(() => on.mongo.close());

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
const heard = async () => (await on.heardBy(listener.agentId)).map(({ text }) => text);
const listAll = async (changes = {}) => {
  const call = { userId: emitter.userId, pageSize: 0, pageToken: '', pattern: '' };
  return (await on.listSignals({ ...call, state: undefined, ...changes })).signals;
};

describe('an emitted signal', () => {
  it('is heard by the user’s other agents whose pattern fits, silently unless asked otherwise', async () => {
    const loud = { ...listener, agentId: createId() };
    const stranger = { userId: createId(), agentId: createId() };
    await subscribe(listener, 'build:*');
    await subscribe(loud, 'build:done', false);
    for (const caller of [emitter, stranger]) await subscribe(caller, 'build:*');
    const { id } = await on.emitSignal(emission(emitter, { dataJson: ' {"ok": true} ' }));
    const text = `Signal build:done from agent ${emitter.agentId}\nData: {"ok": true}`;
    const told = { origin: `signal:${id}`, text, senderUserId: emitter.userId };
    expect(await on.heardBy(listener.agentId)).toMatchObject([{ ...told, silent: true }]);
    expect(await on.heardBy(loud.agentId)).toMatchObject([{ ...told, silent: false }]);
    expect(await on.heardBy(emitter.agentId)).toEqual([]);
    expect(await on.heardBy(stranger.agentId)).toEqual([]);
  });

  it('is stored and heard once, however often and by how many the call is repeated', async () => {
    await subscribe(listener, 'build:*');
    const call = emission(emitter);
    const answers = await Promise.all(Array.from({ length: 6 }, () => on.emitSignal(call)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await on.emitSignal(call)).toEqual(answers[0]);
    expect(await heard()).toHaveLength(1);
    expect(await listAll()).toHaveLength(1);
  });

  it('is heard in the order of emission', async () => {
    await subscribe(listener, '*');
    for (const type of ['one', 'two', 'three']) await on.emitSignal(emission(emitter, { type }));
    expect(await heard()).toEqual(
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
  ])('is refused with %j', async (changes, field) => {
    await expect(on.emitSignal(emission(emitter, changes))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    expect(await listAll()).toEqual([]);
  });
});

describe('a delayed signal', () => {
  const later = (changes = {}) => emission(emitter, { delayMs: 1_000, ...changes });

  it('is heard when it is due, by those who are subscribed then', async () => {
    const early = { ...listener, agentId: createId() };
    await subscribe(early, 'build:*');
    const answer = await on.emitSignal(later());
    await on.emitDueSignals();
    expect(await on.heardBy(early.agentId)).toEqual([]);
    await unsubscribe(early, 'build:*');
    await subscribe(listener, 'build:*');
    on.passMs(1_000);
    await Promise.all([on.emitDueSignals(), on.emitDueSignals(), on.emitDueSignals()]);
    expect(await on.heardBy(early.agentId)).toEqual([]);
    expect(await heard()).toHaveLength(1);
    expect(answer.state).toBe('waiting');
    expect(await listAll({ state: 'emitted' })).toMatchObject([{ id: answer.id }]);
    expect(on.stuck).toEqual([]);
  });

  it('is replaced by a later one with the same type and repeat key, and by no other', async () => {
    await subscribe(listener, '*:*');
    const first = later({ repeatKey: 'k', dataJson: '1' });
    const answer = await on.emitSignal(first);
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '2' }));
    await on.emitSignal(later({ repeatKey: 'other', dataJson: '3' }));
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '4', type: 'build:failed' }));
    expect(await on.emitSignal(first)).toEqual(answer);
    on.passMs(1_000);
    await on.emitDueSignals();
    const texts = await heard();
    expect(texts.map((text) => text.at(-1)).sort()).toEqual(['2', '3', '4']);
  });

  it('is replaced at once by one without delay', async () => {
    await subscribe(listener, '*:*');
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
    await on.emitSignal(emission(emitter, { repeatKey: 'k', dataJson: '2' }));
    on.passMs(1_000);
    await on.emitDueSignals();
    expect(await heard()).toEqual([expect.stringMatching(/2$/)]);
  });

  it('waits once when many replace it at the same moment', async () => {
    const calls = Array.from({ length: 12 }, (_, n) =>
      on.emitSignal(later({ repeatKey: 'k', dataJson: String(n) })),
    );
    await Promise.all(calls);
    expect(await listAll({ state: 'waiting' })).toHaveLength(1);
  });

  it('is either heard or replaced when both happen at its due moment', async () => {
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
    const texts = await heard();
    const replaced = await on.mongo.db
      .collection('signals')
      .countDocuments({ userId: emitter.userId, state: 'replaced' });
    expect(texts.filter((text) => text.endsWith('2'))).toHaveLength(8);
    expect(texts.filter((text) => text.endsWith('1'))).toHaveLength(8 - replaced);
  });

  it('is not emitted by a replica that saw it wait before it was replaced', async () => {
    await subscribe(listener, '*:*');
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '1' }));
    const [seen] = await listAll({ state: 'waiting' });
    await on.emitSignal(later({ repeatKey: 'k', dataJson: '2' }));
    const { signalChanges } = on.stores;
    const emission = await signalChanges.emitDue(seen!, new Date(), deliveriesOf(seen!));
    expect(emission).toEqual({ isNew: false, lanes: [] });
    expect(await heard()).toEqual([]);
  });

  /** A replica, a day ahead, that cannot tell an agent anything. */
  function replicaThatCannotTell(agentId: string) {
    const { outbox } = on.stores;
    const append: typeof outbox.append = (drafts, session) =>
      drafts.some(({ lane }) => lane.endsWith(`>${agentId}`))
        ? Promise.reject(new Error('died'))
        : outbox.append(drafts, session);
    const failing = Object.create(outbox, { append: { value: append } }) as typeof outbox;
    const parts = { client: on.mongo.client, ...on.stores, outbox: failing };
    const stuck: unknown[] = [];
    const now = () => new Date(Date.now() + dayMs);
    const stores = { ...on.stores, signalChanges: new SignalChanges(parts) };
    return { ...buildUsecases(stores, { now, agents: on.agents, stuck }), stuck };
  }

  it('is heard however many that were due before it cannot be', async () => {
    await subscribe(listener, 'build:*');
    await Promise.all(Array.from({ length: 100 }, () => on.emitSignal(later())));
    on.passMs(1);
    const other = { userId: createId(), agentId: createId() };
    await subscribe(other, 'build:*');
    await on.emitSignal(emission({ userId: other.userId }, { delayMs: 1_000 }));
    const replica = replicaThatCannotTell(listener.agentId);
    await replica.emitDueSignals();
    expect(replica.stuck).toHaveLength(100);
    expect(await on.heardBy(other.agentId)).toHaveLength(1);
    await replica.emitDueSignals();
    expect(replica.stuck).toHaveLength(100);
  });

  it('is still to be heard when the replica that emits it dies before its end', async () => {
    await subscribe(listener, 'build:*');
    await on.emitSignal(later());
    const replica = replicaThatCannotTell(listener.agentId);
    await replica.emitDueSignals();
    expect(replica.stuck).toEqual([new Error('died')]);
    expect(await heard()).toEqual([]);
    expect(await listAll({ state: 'waiting' })).toHaveLength(1);
    on.passMs(dayMs + 60_000);
    await on.emitDueSignals();
    expect(await heard()).toHaveLength(1);
  });
});

describe('a subscription', () => {
  it('is changed by the same pattern and keeps its age', async () => {
    const first = await subscribe(listener, 'build:*');
    on.passMs(10);
    expect(await subscribe(listener, 'build:*', false)).toEqual({ ...first, silent: false });
    expect(await on.stores.subscriptions.listOf(listener.userId)).toHaveLength(1);
  });

  it('is not brought back or ended again by a late retry', async () => {
    await subscribe(listener, 'build:*', undefined, 'r1');
    await unsubscribe(listener, 'build:*', 'r2');
    await subscribe(listener, 'build:*', undefined, 'r1');
    expect(await on.stores.subscriptions.listOf(listener.userId)).toEqual([]);
    await subscribe(listener, 'build:*', undefined, 'r3');
    await unsubscribe(listener, 'build:*', 'r2');
    expect(await on.stores.subscriptions.listOf(listener.userId)).toHaveLength(1);
  });

  it('may hold what the database would take for an expression', async () => {
    const { pattern } = await subscribe(listener, '$createdAt:$$NOW', undefined, '$silent');
    expect(pattern).toBe('$createdAt:$$NOW');
    await on.emitSignal(emission(emitter, { type: pattern }));
    expect(await heard()).toHaveLength(1);
  });

  it('is for living agents of the same user only; others are as if they did not exist', async () => {
    const [own, dead, foreign] = [createId(), createId(), createId()];
    on.agents.set(own, { userId: listener.userId, isDead: false });
    on.agents.set(dead, { userId: listener.userId, isDead: true });
    on.agents.set(foreign, { userId: createId(), isDead: false });
    const call = { caller: listener, requestId: 'r', pattern: 'a', silent: undefined, signal };
    await expect(on.subscribeSignal({ ...call, agentId: own })).resolves.toMatchObject({
      agentId: own,
    });
    for (const agentId of [dead, foreign, createId()]) {
      await expect(on.subscribeSignal({ ...call, agentId })).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'Agent not found',
      });
    }
    const person = { userId: listener.userId };
    await expect(
      on.subscribeSignal({ ...call, caller: person, agentId: '' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: 'agent_id is required' });
  });
});

it('signals are listed newest first, by pattern and page', async () => {
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
