import { DescriptorKind } from '@daycare/contracts/agent-runtime';
import { computed } from '@preact/signals';
import { newRequestId } from '@daycare/client/browser';
import { daycare } from './client';
import { topology } from './topology';

/** The id of one of my own agents, through which I can run tools; undefined if I have none. */
export const ownAgentId = computed(() => {
  const agents = topology.value?.agents?.agents ?? [];
  const mine = agents.filter(({ userId }) => userId === topology.value?.self?.userId);
  return (mine.find(({ kind }) => kind === DescriptorKind.USER) ?? mine[0])?.id;
});

/** Runs one of an agent's tools on the person's behalf. The result is what the tool returns to models. */
export async function callTool<T>(
  agentId: string,
  name: string,
  args: object,
  { requestId = newRequestId(), signal }: { requestId?: string; signal?: AbortSignal } = {},
): Promise<T> {
  const request = { requestId, agentId, name, argumentsJson: JSON.stringify(args) };
  const { resultJson } = await daycare.rpc.agentRuntime.callTool(request, signal && { signal });
  return JSON.parse(resultJson) as T;
}

/** Like `callTool`, using one of my agents; throws if I have none. */
export function callOwnTool<T>(name: string, args: object, requestId: string): Promise<T> {
  const agentId = ownAgentId.peek();
  if (agentId === undefined)
    throw new Error('Start a conversation first: this needs one of your agents.');
  return callTool(agentId, name, args, { requestId });
}
