import { beforeEach } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Viewer } from '../domain/viewer';
import { signal, useTestWiring, type TestAgent } from './test-wiring';

const newAgent = (userId = createId()): TestAgent => ({ userId, agentId: createId() });

/** Provides two agents of a new user for each test, and the calls that signal tests make. */
export function useTestSignals() {
  const wiring = useTestWiring();
  const agents = { emitter: newAgent(), listener: newAgent() };
  beforeEach(() => {
    agents.emitter = newAgent();
    agents.listener = newAgent(agents.emitter.userId);
  });

  return {
    wiring,
    agents,
    subscribe: (caller: Viewer, pattern: string, silent?: boolean, requestId = createId()) =>
      wiring.subscribeSignal({ caller, requestId, pattern, silent, agentId: '', signal }),
    unsubscribe: (caller: Viewer, pattern: string, requestId = createId()) =>
      wiring.unsubscribeSignal({ caller, requestId, pattern, agentId: '' }),
    delivered: async () =>
      (await wiring.deliveredTo(agents.listener.agentId)).map(({ text }) => text),
    listAll: async (changes = {}) => {
      const call = { userId: agents.emitter.userId, pageSize: 0, pageToken: '', pattern: '' };
      return (await wiring.listSignals({ ...call, state: undefined, ...changes })).signals;
    },
  };
}
