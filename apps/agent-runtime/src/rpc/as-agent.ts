import { AppError } from '@daycare/errors';
import type { CallOptions } from '@daycare/rpc';
import { ownFault, type Membership } from '@daycare/service-kit';
import type { AgentCall } from '../usecases/agent-call';

export type Credential = Pick<Membership['credential'], 'metadata'>;

/** Calls a peer as an agent: what the agent may not do, the peer refuses. */
export type AsAgent = <T>(
  call: Pick<AgentCall, 'agent' | 'signal' | 'hops'>,
  ask: (options: CallOptions) => Promise<T>,
) => Promise<T>;

export function makeAsAgent(credential: Credential, callee: string): AsAgent {
  return async ({ agent, signal, hops }, ask) => {
    const passedOn = hops === undefined ? {} : { hops: hops + 1 };
    const metadata = await credential.metadata(callee, { ...subjectOf(agent), ...passedOn });
    return ask({ metadata, signal }).catch((error: unknown) => {
      throw isUnbelieved(error) ? ownFault(error) : error;
    });
  };
}

/** The agent as its peers are told of it. */
export function subjectOf({ id: agentId, userId, ownerUserId }: AgentCall['agent']) {
  return { userId, agentId, ...(ownerUserId ? { parentUserId: ownerUserId } : {}) };
}

/** The proof is this service's, not the agent's. */
function isUnbelieved(error: unknown): boolean {
  return error instanceof AppError && error.code === 'UNAUTHENTICATED';
}
