import { AppError, FieldChecks, notFound } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { keyOf } from '../domain/descriptor-kinds';
import { guardWording, refuseSubagent, type RunawayGuards } from '../domain/runaway-guards';
import type { AgentStore } from '../store/agent-store';
import type { FindOrMakeAgent } from './ensure-agent';
import { messageIdOf } from './message-id';
import type { PutItems } from './put-items';

export interface StartCall {
  readonly userId: string;
  readonly requestId: string;
  readonly prompt: string;
  readonly name: string;
  /** Hears once if the new agent fails. */
  readonly parentAgentId: string;
  /** How many agents in a row have led to this call. */
  readonly hops: number;
}

export interface StartDeps {
  readonly agents: AgentStore;
  readonly findOrMakeAgent: FindOrMakeAgent;
  readonly putItems: PutItems;
  readonly guards: RunawayGuards;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

/**
 * Makes a new background agent and gives it its first message. The agent's id comes from the request,
 * so a call that was cut off and is repeated goes on with the same agent.
 */
export function makeStartBackgroundAgent(deps: StartDeps) {
  return async (call: StartCall): Promise<{ readonly agentId: string }> => {
    check(call);
    const parent = await deps.agents.find(call.parentAgentId);
    if (parent?.userId !== call.userId) throw notFound('agent');
    if (parent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    const id = messageIdOf('subagent', call.userId, parent.id, call.requestId);
    const name = call.name.trim();
    const descriptor = { kind: 'subagent', id, parentAgentId: parent.id, name } as const;
    // What was allowed before a crash is not refused after it.
    const known = await deps.agents.findByKey(call.userId, keyOf(descriptor));
    if (!known) await guard(deps, call, parent, id);
    const { agent } = await deps.findOrMakeAgent(call.userId, descriptor);
    await deps.putItems([firstMessage(call, parent, agent, deps.now())]);
    return { agentId: agent.id };
  };
}

function check({ requestId, parentAgentId, prompt, name }: StartCall): void {
  new FieldChecks()
    .requestId(requestId)
    .id(parentAgentId, 'parent_agent_id')
    .text(prompt, 'prompt', { min: 1, max: 32_768 })
    .line(name, 'name', { min: 0, max: 100 })
    .done();
}

/** The count is not exact when many are started at the same moment; it is there to stop a flood. */
async function guard(
  { agents, guards, sleepAfterMs, now }: StartDeps,
  { userId, hops }: StartCall,
  parent: Agent,
  id: string,
): Promise<void> {
  const since = new Date(now().getTime() - sleepAfterMs);
  const [depth, awake] = await Promise.all([
    depthBelow(agents, parent, guards.maxDepth),
    agents.countAwakeSubagents(userId, since, id),
  ]);
  const refusal = refuseSubagent({ hops, depth, awake }, guards);
  if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
}

/** How deep an agent below this one is; counted no further than it matters. */
async function depthBelow(agents: AgentStore, parent: Agent, maxDepth: number): Promise<number> {
  let depth = 1;
  for (let above = parent; above.descriptor.kind === 'subagent' && depth <= maxDepth; depth += 1) {
    const next = await agents.find(above.descriptor.parentAgentId);
    if (!next) break;
    above = next;
  }
  return depth;
}

function firstMessage(call: StartCall, parent: Agent, agent: Agent, acceptedAt: Date) {
  return {
    agent,
    item: {
      kind: 'system_message',
      agentId: agent.id,
      userId: agent.userId,
      messageId: messageIdOf('first', agent.id),
      acceptedAt,
      text: call.prompt.trim(),
      origin: parent.id,
      silent: false,
      sender: { agentId: parent.id, userId: parent.userId },
      hops: call.hops,
    },
  } as const;
}
