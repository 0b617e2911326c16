import { isForeign, type Trust } from '@daycare/api';
import { type Agent, parentOf, type ToolResultEvent } from '../../agents';

/**
 * Whether a tool has reported to the agent that started this background agent. What a guest's turn tells it is
 * no report: the work that the user gave is not done with it.
 */
export function isReportBy(
  { kind, descriptor }: Pick<Agent, 'kind' | 'descriptor'>,
  { toolName, resultJson, isError }: Pick<ToolResultEvent, 'toolName' | 'resultJson' | 'isError'>,
  trust: Trust,
): boolean {
  if (isForeign(trust) || kind !== 'subagent' || toolName !== 'send_agent_message' || isError)
    return false;
  const result: unknown = JSON.parse(resultJson);
  const agentId = typeof result === 'object' && result !== null && 'agentId' in result;
  return agentId && result.agentId === parentOf(descriptor);
}
