import { AppError, FieldChecks, messageIdOf, notFound } from '@daycare/api';
import {
  agentDead,
  type Agent,
  type AgentReader,
  limitOwnerId,
  type FindOrCreateAgent,
  guardWording,
  keyOf,
  subagentRefusal,
  type RunawayGuards,
} from '../../../agents';
import { itemOf, type IncomingMessage } from '../../domain/inbox-item';
import { labelsOf, type SendingTurn } from '../../domain/sending-turn';
import type { PlaceItems } from '../inbox/place-items';

export interface StartCall extends SendingTurn {
  readonly userId: string;
  readonly requestId: string;
  readonly prompt: string;
  readonly name: string;
  /** The agent that starts the new one, and is notified once if the new one fails. */
  readonly parentAgentId: string;
}

export interface StartDeps {
  readonly agents: AgentReader;
  readonly findOrCreateAgent: FindOrCreateAgent;
  readonly placeItems: PlaceItems;
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
    if (parent.diedAt) throw agentDead();
    const name = call.name.trim();
    const id = idOf(call, parent, name);
    const descriptor = { kind: 'subagent', id, parentAgentId: parent.id, name } as const;
    // A retry is not refused if the first attempt has created the agent already.
    const existing = await deps.agents.findByKey(call.userId, keyOf(descriptor));
    if (!existing) await guard(deps, call, parent, id);
    const { agent } = await deps.findOrCreateAgent(call.userId, descriptor, call.trust);
    await deps.placeItems([
      { recipients: [agent], item: firstMessage(call, parent, agent, deps.now()) },
    ]);
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
  call: StartCall,
  parent: Agent,
  agent: Agent,
  acceptedAt: Date,
): IncomingMessage {
  const sender = { senderAgentId: parent.id, senderUserId: parent.userId, origin: parent.id };
  const message = { messageId: messageIdOf('first', agent.id), text: call.prompt.trim() };
  const turn = { hops: call.hops, ...labelsOf(call) };
  return itemOf(agent.userId, { ...message, ...sender, ...turn }, acceptedAt);
}
