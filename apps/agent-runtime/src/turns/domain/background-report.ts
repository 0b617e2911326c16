import { isForeign, type Trust } from '@daycare/api';
import { type Agent, parentOf, type ToolResultEvent } from '../../agents';

/**
 * Checks whether a tool call sent a report to the agent that started this background agent. A message sent in the
 * turn of a guest or outsider is not a report: it does not complete the user's task.
 */
export function isReportToParent(
  { kind, descriptor }: Pick<Agent, 'kind' | 'descriptor'>,
  { toolName, resultJson, isError }: Pick<ToolResultEvent, 'toolName' | 'resultJson' | 'isError'>,
  trust: Trust,
): boolean {
  if (isForeign(trust) || kind !== 'subagent' || toolName !== 'send_agent_message' || isError)
    return false;
  const result: unknown = JSON.parse(resultJson);
  const hasAgentId = typeof result === 'object' && result !== null && 'agentId' in result;
  return hasAgentId && result.agentId === parentOf(descriptor);
}
