import { AppError } from '@daycare/api';
import type { CallOptions } from '@daycare/rpc';
import { maskPeerAuthError, type PeerAccess } from '@daycare/service-kit';
import { type AgentCall, carriesPrivate, trustToPassOn } from '../agents';
import type { RoutedMessage } from '../messaging';

export type Credential = Pick<PeerAccess['credential'], 'metadata'>;

/** Calls a peer on behalf of an agent, so that the peer refuses what the agent may not do. */
export type AsAgent = <T>(
  call: Omit<AgentCall, 'requestId'>,
  send: (options: CallOptions) => Promise<T>,
) => Promise<T>;

export function makeAsAgent(credential: Credential, callee: string): AsAgent {
  return async (call, send) => {
    const { agent, signal, traceparent } = call;
    const metadataFor = credential.metadata(callee, { ...subjectOf(agent), ...turnOf(call) });
    return send({ metadataFor, signal, traceparent }).catch((error: unknown) => {
      // The rejected credential belongs to this service, so the error must not look like the agent's fault.
      throw isUnauthenticated(error) ? maskPeerAuthError(error) : error;
    });
  };
}

/** Returns the facts about the turn that the peer attaches to everything the call causes. */
function turnOf(call: Omit<AgentCall, 'requestId'>) {
  const { hops, trust, startedBy } = call;
  return {
    ...(hops === undefined ? {} : { hops: hops + 1 }),
    ...(trust === undefined ? {} : { trust: startedBy ? trustToPassOn(trust, startedBy) : trust }),
    ...(carriesPrivate(call) ? { carriesPrivate: true as const } : {}),
  };
}

/** Returns the facts about the sending turn that the peer passes on to the message's recipient unchanged. */
export function sentTurn({
  hops,
  trust,
  carriesPrivate,
}: Omit<RoutedMessage, 'messageId' | 'text'>) {
  return {
    hops,
    ...(trust === undefined ? {} : { trust }),
    ...(carriesPrivate ? { carriesPrivate: true as const } : {}),
  };
}

/** Returns the agent as the subject of the metadata sent to a peer. */
export function subjectOf({ id: agentId, userId, ownerUserId }: AgentCall['agent']) {
  return { userId, agentId, ...(ownerUserId ? { parentUserId: ownerUserId } : {}) };
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof AppError && error.code === 'UNAUTHENTICATED';
}
