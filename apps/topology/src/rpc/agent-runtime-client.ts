import { AgentLifecycle, type AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/api';
import type { RpcClient } from '@daycare/rpc';
import { makeCallPeer } from '@daycare/service-kit';
import type { FindAgent } from '../usecases/check-own-agent';
import type { MarkWired } from '../usecases/direct/mark-wired';
import { subjectOf, type Credential } from './fact-sources';

/** Calls agent-runtime on behalf of the caller, so an agent the caller may not see is not found. */
export function makeFindAgent(
  agentRuntime: Pick<RpcClient<typeof AgentRuntimeServiceService>, 'getAgent'>,
  credential: Credential,
): FindAgent {
  const callAgentRuntime = makeCallPeer(credential, 'agent-runtime');
  return async (caller, agentId, signal) => {
    const request = { selector: { $case: 'agentId' as const, value: agentId } };
    try {
      const { agent } = await callAgentRuntime(
        (options) => agentRuntime.getAgent(request, { ...options, signal }),
        subjectOf(caller),
      );
      return agent && { userId: agent.userId, isDead: agent.lifecycle === AgentLifecycle.DEAD };
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  };
}

/** Records in agent-runtime that the calling agent sends through channels or signals. */
export function makeMarkWired(
  agentRuntime: Pick<RpcClient<typeof AgentRuntimeServiceService>, 'markWired'>,
  credential: Credential,
): MarkWired {
  const callAgentRuntime = makeCallPeer(credential, 'agent-runtime');
  return async (caller) => {
    await callAgentRuntime((options) => agentRuntime.markWired({}, options), subjectOf(caller));
  };
}
