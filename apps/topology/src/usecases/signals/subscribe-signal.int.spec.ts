import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Viewer } from '../../domain/viewer';
import { emission, signal, useTestWiring, type TestAgent } from '../../test-support/test-wiring';

const wiring = useTestWiring();

let listener: TestAgent;
beforeEach(() => {
  listener = { userId: createId(), agentId: createId() };
});

const subscribe = (caller: Viewer, pattern: string, silent?: boolean, requestId = createId()) =>
  wiring.subscribeSignal({ caller, requestId, pattern, silent, agentId: '', signal });
const unsubscribe = (caller: Viewer, pattern: string, requestId = createId()) =>
  wiring.unsubscribeSignal({ caller, requestId, pattern, agentId: '' });

describe('subscriptions', () => {
  it('a subscription keeps its creation time when the agent subscribes to the same pattern again', async () => {
    const first = await subscribe(listener, 'build:*');
    wiring.advanceMs(10);
    expect(await subscribe(listener, 'build:*', false)).toEqual({ ...first, silent: false });
    expect(await wiring.stores.subscriptions.listActive(listener.userId)).toHaveLength(1);
  });

  it('a subscription remembers until it is ended that a guest’s turn chose its pattern', async () => {
    const authors = async () =>
      (await wiring.stores.subscriptions.listActive(listener.userId)).map(
        ({ writtenBy }) => writtenBy,
      );
    await subscribe({ ...listener, trust: 'guest' }, 'build:*');
    await subscribe(listener, 'build:*', false);
    expect(await authors()).toEqual(['guest']);
    await unsubscribe(listener, 'build:*');
    await subscribe(listener, 'build:*');
    expect(await authors()).toEqual([undefined]);
  });

  it('a subscription is neither restored nor ended again by a late retry', async () => {
    await subscribe(listener, 'build:*', undefined, 'r1');
    await unsubscribe(listener, 'build:*', 'r2');
    await subscribe(listener, 'build:*', undefined, 'r1');
    expect(await wiring.stores.subscriptions.listActive(listener.userId)).toEqual([]);
    await subscribe(listener, 'build:*', undefined, 'r3');
    await unsubscribe(listener, 'build:*', 'r2');
    expect(await wiring.stores.subscriptions.listActive(listener.userId)).toHaveLength(1);
  });

  it('the pattern of a subscription may be text that MongoDB would treat as an expression', async () => {
    const { pattern } = await subscribe(listener, '$createdAt:$$NOW', undefined, '$silent');
    expect(pattern).toBe('$createdAt:$$NOW');
    await wiring.emitSignal(emission({ ...listener, agentId: createId() }, { type: pattern }));
    expect(await wiring.deliveredTo(listener.agentId)).toHaveLength(1);
  });

  it('subscribing a dead agent or another user’s agent fails with NOT_FOUND', async () => {
    const [own, dead, foreign] = [createId(), createId(), createId()];
    wiring.agents.set(own, { userId: listener.userId, isDead: false });
    wiring.agents.set(dead, { userId: listener.userId, isDead: true });
    wiring.agents.set(foreign, { userId: createId(), isDead: false });
    const call = { caller: listener, requestId: 'r', pattern: 'a', silent: undefined, signal };
    await expect(wiring.subscribeSignal({ ...call, agentId: own })).resolves.toMatchObject({
      agentId: own,
    });
    for (const agentId of [dead, foreign, createId()]) {
      await expect(wiring.subscribeSignal({ ...call, agentId })).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'Agent not found',
      });
    }
    const person = { userId: listener.userId };
    await expect(
      wiring.subscribeSignal({ ...call, caller: person, agentId: '' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: 'The agent id is required' });
  });
});
