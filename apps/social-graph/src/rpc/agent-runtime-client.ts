import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { budgetSideOf, type CountInInboxes } from '@daycare/messaging';
import type { RpcClient } from '@daycare/rpc';
import type { PeerAccess } from '@daycare/service-kit';

/** Short, because accepting a message waits for the response. */
const timeoutMs = 1_000;

/** Counts the messages that are waiting in inboxes, by calling agent-runtime. */
export function makeCountInInboxes(
  agentRuntime: Pick<RpcClient<typeof AgentRuntimeServiceService>, 'countWaitingMessages'>,
  credential: Pick<PeerAccess['credential'], 'metadata'>,
): CountInInboxes {
  return async (keys) => {
    const metadataFor = credential.metadata('agent-runtime');
    const senders = keys.map(budgetSideOf);
    const options = { metadataFor, timeoutMs };
    const { counts } = await agentRuntime.countWaitingMessages({ senders }, options);
    return new Map(keys.map((key, index) => [key, counts[index] ?? 0]));
  };
}
