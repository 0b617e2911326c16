import {
  PermissionDecision,
  PermissionState,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import type { Caller } from '../calls/caller';
import { newRequestId } from '../calls/request-id';
import type { Rpcs } from '../calls/rpc';
import type { CallOptions } from '../transport/transport';
import type { ChangeOptions } from './friends';
import { watchPermissions } from './watches';

/**
 * `once` grants this request. `always` also allows the agent's later calls to the same tool, in turns with at least the
 * same trust.
 */
export type Decision = 'once' | 'always' | 'deny';

const decisions = {
  once: PermissionDecision.GRANT,
  always: PermissionDecision.ALWAYS,
  deny: PermissionDecision.DENY,
} as const;

/** The permission requests of the caller's agents and of its subusers' agents. */
export interface Permissions {
  decide(permissionRequestId: string, decision: Decision, options?: ChangeOptions): Promise<void>;
  /**
   * Calls the handler with every pending and every new request, one at a time, until the signal aborts. The handler
   * returns the decision, or undefined to leave the request to someone else. Requests that are still pending after an
   * interruption are passed to the handler again.
   */
  handle(
    handler: (request: PermissionRequest) => Decision | undefined | Promise<Decision | undefined>,
    options?: CallOptions,
  ): Promise<void>;
}

export function makePermissions({ agentRuntime }: Rpcs, caller: Caller): Permissions {
  const decide: Permissions['decide'] = async (permissionRequestId, decision, options) => {
    const { requestId = newRequestId() } = options ?? {};
    const request = { requestId, permissionRequestId, decision: decisions[decision] };
    await agentRuntime.decidePermission(request, options);
  };
  return {
    decide,
    async handle(handler, options = {}) {
      try {
        for await (const event of watchPermissions(caller, options)) {
          if (event.$case !== 'permissionRequest' || event.value.state !== PermissionState.PENDING)
            continue;
          const decision = await handler(event.value);
          if (decision) await decide(event.value.id, decision, options);
        }
      } catch (error) {
        if (!options.signal?.aborted) throw error;
      }
    },
  };
}
