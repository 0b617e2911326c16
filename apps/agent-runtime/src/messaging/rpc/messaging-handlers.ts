import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { isSampled } from '@daycare/messaging';
import { requireUser, type Caller, type Handlers } from '@daycare/rpc';
import type { Messaging } from '../build';
import { toDeadLetterMessage } from './dead-letter-messages';

export type MessagingUsecases = Pick<
  Messaging,
  | 'countWaitingMessages'
  | 'deleteDeadLetter'
  | 'listDeadLetters'
  | 'markWired'
  | 'postMessage'
  | 'requestEnd'
  | 'resetAgent'
  | 'retryDeadLetter'
  | 'sendAgentMessage'
  | 'startBackgroundAgent'
  | 'stopTurn'
>;

/** The RPCs that message, control and end agents, count waiting messages and manage dead letters. */
export function messagingHandlers(
  usecases: MessagingUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  return {
    postMessage: (request, { caller, traceparent }) => {
      const trace = isSampled(traceparent) ? { traceparent } : {};
      return usecases.postMessage({ ...request, ...trace, userId: requireUser(caller).userId });
    },
    resetAgent: async (request, { caller }) => {
      const { userId, agentId, trust, carriesPrivate } = requireUser(caller);
      const turn = { isByAgent: agentId !== undefined, trust, carriesPrivate };
      await usecases.resetAgent({ ...request, userId, ...turn });
      return {};
    },
    endAgent: async (request, { caller }) => {
      await usecases.requestEnd({ ...request, userId: requireUser(caller).userId });
      return {};
    },
    stopTurn: (request, { caller }) =>
      usecases.stopTurn({ ...request, userId: requireUser(caller).userId }),
    sendAgentMessage: (request, { caller }) => {
      const { userId, agentId = '', trust, carriesPrivate } = requireUser(caller);
      const turn = { hops: 1, trust, carriesPrivate };
      return usecases.sendAgentMessage({ ...request, userId, senderAgentId: agentId, ...turn });
    },
    markWired: async (_, { caller }) => {
      const { userId, agentId = '' } = requireUser(caller);
      await usecases.markWired({ userId, agentId });
      return {};
    },
    countWaitingMessages: async ({ senders }) => ({
      counts: [...(await usecases.countWaitingMessages(senders))],
    }),
    startBackgroundAgent: (request, { caller }) => {
      const { userId, agentId = '', trust, carriesPrivate } = requireUser(caller);
      const turn = { hops: 1, trust, carriesPrivate };
      const parentAgentId = request.parentAgentId || agentId;
      return usecases.startBackgroundAgent({ ...request, userId, parentAgentId, ...turn });
    },
    listDeadLetters: async (request, { caller }) => {
      const call = { ...request, reader: readerOf(caller) };
      const { letters, nextPageToken } = await usecases.listDeadLetters(call);
      return { deadLetters: letters.map(toDeadLetterMessage), nextPageToken };
    },
    retryDeadLetter: async ({ requestId, deadLetterId }, { caller }) => {
      await usecases.retryDeadLetter(readerOf(caller), requestId, deadLetterId);
      return {};
    },
    deleteDeadLetter: async ({ requestId, deadLetterId }, { caller }) => {
      await usecases.deleteDeadLetter(readerOf(caller), requestId, deadLetterId);
      return {};
    },
  };
}

function readerOf(caller: Caller): { readonly userId: string } | 'operator' {
  return caller.kind === 'admin' ? 'operator' : { userId: requireUser(caller).userId };
}
