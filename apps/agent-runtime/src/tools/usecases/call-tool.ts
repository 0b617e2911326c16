import { FieldChecks, messageIdOf } from '@daycare/api';
import { agentDead, type Agent, isTopLevel, startedByPerson } from '../../agents';
import type { ToolOutcome } from '../domain/tool-outcome';
import type { ToolContext } from '../registry/tool';
import type { ToolRegistry } from '../registry/tool-registry';
import { findOwnAgent, type AgentCaller, type FindAgent } from './find-own-agent';

export interface CallToolDeps {
  readonly findAgent: FindAgent;
  readonly tools: Pick<ToolRegistry, 'call' | 'isReadOnly'>;
}

export interface ToolCallRequest extends AgentCaller {
  readonly agentId: string;
  readonly requestId: string;
  readonly name: string;
  readonly argumentsJson: string;
  readonly signal: AbortSignal;
  readonly traceparent?: string | undefined;
}

/**
 * Runs a tool as one of the caller's own agents, along the same path as a model's tool call. A person may also run
 * read-only tools as agents of their subusers.
 */
export type CallTool = (call: ToolCallRequest) => Promise<ToolOutcome>;

export function makeCallTool({ findAgent, tools }: CallToolDeps): CallTool {
  return async (call) => {
    const { userId, agentId, name, argumentsJson, signal, traceparent } = call;
    new FieldChecks()
      .requestId(call.requestId)
      .id(agentId, 'agent_id')
      .line(name, 'name', { min: 1, max: 64 })
      .done();
    const agent = await findOwnAgent(findAgent, call, agentId, tools.isReadOnly(name));
    if (agent.diedAt) throw agentDead();
    const requestId = messageIdOf('call-tool', userId, agentId, call.requestId);
    const turn = { hops: 0, ...clientTurn(call, agent) };
    return tools.call(name, argumentsJson, { agent, requestId, ...turn, signal, traceparent });
  };
}

/** A call by a person has the trust `person`; a call by an agent has the trust `own`. */
function clientTurn(
  { callerAgentId, userId }: ToolCallRequest,
  agent: Agent,
): Pick<ToolContext, 'trust' | 'readPrivate' | 'startedBy'> {
  const readPrivate = isTopLevel(agent);
  if (callerAgentId === undefined)
    return { trust: 'person', readPrivate, startedBy: startedByPerson };
  const sender = { agentId: callerAgentId, userId };
  const startedBy = {
    source: 'own_agent',
    origin: callerAgentId,
    sender,
    byPerson: false,
  } as const;
  return { trust: 'own', readPrivate, startedBy };
}
