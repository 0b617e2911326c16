import { AppError, encodePageToken, FieldChecks, notFound, readPageToken } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import type { ToolOutcome } from '../domain/tool-outcome';
import type { ToolSpec } from '../runtime/model-provider';
import type { AgentStore } from '../store/agent-store';
import { messageIdOf } from '../usecases/message-id';
import type { ToolRegistry } from './tool-registry';

export interface CallToolDeps {
  readonly agents: AgentStore;
  readonly tools: ToolRegistry;
}

export interface ToolCallRequest {
  readonly userId: string;
  readonly agentId: string;
  readonly requestId: string;
  readonly name: string;
  readonly argumentsJson: string;
  readonly signal: AbortSignal;
}

/** Runs a tool as one of the caller's own agents, by the path that a model's wish takes. */
export function makeCallTool({ agents, tools }: CallToolDeps) {
  return async (call: ToolCallRequest): Promise<ToolOutcome> => {
    const { userId, agentId, name, argumentsJson, signal } = call;
    new FieldChecks()
      .requestId(call.requestId)
      .id(agentId, 'agent_id')
      .line(name, 'name', { min: 1, max: 64 })
      .done();
    const agent = await findOwn(agents, userId, agentId);
    if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    const requestId = messageIdOf('call-tool', userId, agentId, call.requestId);
    return tools.call(name, argumentsJson, { agent, requestId, hops: 0, signal });
  };
}

export interface ListToolsRequest {
  readonly userId: string;
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** The tools that one of the caller's own agents is told of, by name. */
export function makeListTools({ agents, tools }: CallToolDeps) {
  return async (call: ListToolsRequest): Promise<{ tools: ToolSpec[]; nextPageToken: string }> => {
    const checks = new FieldChecks().id(call.agentId, 'agent_id');
    const limit = checks.pageSize(call.pageSize);
    const after = readPageToken(call.pageToken, checks, ([name]) =>
      typeof name === 'string' ? name : undefined,
    );
    checks.done();
    const agent = await findOwn(agents, call.userId, call.agentId);
    const rest = tools.list(agent).filter(({ name }) => name > (after ?? ''));
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    return { tools: page, nextPageToken: last ? encodePageToken([last.name]) : '' };
  };
}

/** Not those of subusers: what is theirs is reached through their gateways. */
async function findOwn(agents: AgentStore, userId: string, agentId: string): Promise<Agent> {
  const agent = await agents.find(agentId);
  if (agent?.userId !== userId) throw notFound('agent');
  return agent;
}
