import { AppError, FieldChecks, messageIdOf, notFound, type Trust } from '@daycare/api';
import {
  type Agent,
  type AgentReader,
  limitOwnerId,
  type FindOrCreateAgent,
  guardWording,
  keyOf,
  subagentRefusal,
  type RunawayGuards,
} from '../../agents';
import { systemMessageItem, type IncomingMessage } from '../domain/inbox-item';
import type { PutItems } from './put-items';

export interface StartCall {
  readonly userId: string;
  readonly requestId: string;
  readonly prompt: string;
  readonly name: string;
  /** The agent that starts the new one, and is notified once if the new one fails. */
  readonly parentAgentId: string;
  /** The number of agents in the chain that led to this call. */
  readonly hops: number;
  /** The trust of the turn that starts the agent. */
  readonly trust?: Trust | undefined;
  /** Whether that turn has read something private. */
  readonly carriesPrivate?: boolean | undefined;
  /** The guest or outsider whose words are in that turn's context. */
  readonly foreignWriter?: string | undefined;
}

export interface StartDeps {
  readonly agents: AgentReader;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly putItems: PutItems;
  readonly guards: RunawayGuards;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

/**
 * Creates a background agent and sends it its first message. The agent's id is derived from the request, so
 * a retry of an interrupted call continues with the same agent. A request id that is reused with another
 * prompt or name starts another agent, so that no prompt is lost.
 */
export function makeStartBackgroundAgent(deps: StartDeps) {
  return async (call: StartCall): Promise<{ readonly agentId: string }> => {
    check(call);
    const parent = await deps.agents.find(call.parentAgentId);
    if (parent?.userId !== call.userId) throw notFound('agent');
    if (parent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    const name = call.name.trim();
    const id = idOf(call, parent, name);
    const descriptor = { kind: 'subagent', id, parentAgentId: parent.id, name } as const;
    // A start that was allowed before a crash is not refused when it is retried.
    const existing = await deps.agents.findByKey(call.userId, keyOf(descriptor));
    if (!existing) await guard(deps, call, parent, id);
    const { agent } = await deps.findOrCreateAgent(call.userId, descriptor, call.trust);
    await deps.putItems([{ agent, item: firstMessage(call, parent, agent, deps.now()) }]);
    return { agentId: agent.id };
  };
}

function idOf({ userId, requestId, prompt }: StartCall, parent: Agent, name: string): string {
  return messageIdOf('subagent', userId, parent.id, requestId, name, prompt.trim());
}

function check({ requestId, parentAgentId, prompt, name }: StartCall): void {
  new FieldChecks()
    .requestId(requestId)
    .id(parentAgentId, 'parent_agent_id')
    .text(prompt, 'prompt', { min: 1, max: 32_768 })
    .line(name, 'name', { min: 0, max: 100 })
    .done();
}

/** When many agents are started concurrently, the count is inexact; it only has to stop a flood. */
async function guard(
  { agents, guards, sleepAfterMs, now }: StartDeps,
  { hops }: StartCall,
  parent: Agent,
  id: string,
): Promise<void> {
  const since = new Date(now().getTime() - sleepAfterMs);
  const [depth, awakeSubagents] = await Promise.all([
    depthBelow(agents, parent, guards.maxDepth),
    agents.countAwakeSubagents(limitOwnerId(parent), since, id),
  ]);
  const refusal = subagentRefusal({ hops, depth, awakeSubagents }, guards);
  if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
}

/** Returns the depth of an agent started by this parent; stops counting just beyond the limit. */
async function depthBelow(agents: AgentReader, parent: Agent, maxDepth: number): Promise<number> {
  let depth = 1;
  for (let above = parent; above.descriptor.kind === 'subagent' && depth <= maxDepth; depth += 1) {
    const next = await agents.find(above.descriptor.parentAgentId);
    if (!next) break;
    above = next;
  }
  return depth;
}

function firstMessage(
  { prompt, hops, trust, carriesPrivate, foreignWriter }: StartCall,
  parent: Agent,
  { id, userId }: Agent,
  acceptedAt: Date,
): IncomingMessage {
  const sender = { senderAgentId: parent.id, senderUserId: parent.userId, origin: parent.id };
  const turn = { hops, trust, carriesPrivate, foreignWriter };
  const item = systemMessageItem({ ...sender, ...turn, text: prompt.trim(), silent: false });
  return { ...item, userId, messageId: messageIdOf('first', id), acceptedAt };
}
