import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import {
  PermissionDecision,
  PermissionRequest,
  PermissionState,
} from '@daycare/contracts/agent-runtime';
import { connectTo } from '../test-support/serve';
import type { Decision } from './permissions';

const requestOf = (id: string, state = PermissionState.PENDING) => ({
  event: { $case: 'permissionRequest', value: PermissionRequest.fromPartial({ id, state }) },
});

/** Connects a client to a server that has these requests; its first stream breaks after the first pending request. */
async function connectWith(ids: readonly string[]) {
  const decided: [string, PermissionDecision][] = [];
  let streams = 0;
  const daycare = await connectTo({
    agentRuntime: {
      async *watchPermissionRequests() {
        streams += 1;
        yield requestOf('granted', PermissionState.GRANTED);
        for (const id of ids) {
          if (decided.every(([decidedId]) => decidedId !== id)) yield requestOf(id);
          if (streams === 1) throw new AppError('UNAVAILABLE', 'stopping');
        }
        await new Promise(() => undefined);
      },
      decidePermission: ({ permissionRequestId, decision }) => {
        decided.push([permissionRequestId, decision]);
        return {};
      },
    },
  });
  return { daycare, decided };
}

describe('daycare.permissions', () => {
  it('passes every pending request to the handler, even if a stream breaks, until the signal aborts', async () => {
    const { daycare, decided } = await connectWith(['r1', 'r2', 'r3', 'left', 'end']);
    const answers: Record<string, Decision> = { r1: 'once', r2: 'always', r3: 'deny' };
    const controller = new AbortController();
    const handled: string[] = [];
    const handle = ({ id }: { id: string }): Decision | undefined => {
      handled.push(id);
      if (id === 'end') controller.abort();
      return answers[id];
    };
    await daycare.permissions.handle(handle, { signal: controller.signal });
    expect(decided).toEqual([
      ['r1', PermissionDecision.GRANT],
      ['r2', PermissionDecision.ALWAYS],
      ['r3', PermissionDecision.DENY],
    ]);
    expect(handled).toEqual(['r1', 'r2', 'r3', 'left', 'end']);
  });

  it('throws what the handler throws', async () => {
    const { daycare, decided } = await connectWith(['r1']);
    const handle = (): Decision => {
      throw new Error('no idea');
    };
    await expect(daycare.permissions.handle(handle)).rejects.toThrow('no idea');
    expect(decided).toEqual([]);
  });
});
