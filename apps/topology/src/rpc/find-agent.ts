import { AgentLifecycle, type AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/errors';
import type { RpcClient } from '@daycare/rpc';
import { ownFault } from '@daycare/service-kit';
import type { FindAgent } from '../usecases/own-agent';
import { subjectOf, type Credential } from './owners';

/** Asks agent-runtime as the caller: what it may not see is not there. */
export function makeFindAgent(
  agentRuntime: Pick<RpcClient<typeof AgentRuntimeServiceService>, 'getAgent'>,
  credential: Credential,
): FindAgent {
  return async (caller, agentId, signal) => {
    const metadata = await credential.metadata('agent-runtime', subjectOf(caller));
    const request = { selector: { $case: 'agentId' as const, value: agentId } };
    try {
      const { agent } = await agentRuntime.getAgent(request, { metadata, signal });
      return agent && { userId: agent.userId, isDead: agent.lifecycle === AgentLifecycle.DEAD };
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw ownFault(error);
    }
  };
}
