import { AppError, FieldChecks } from '@daycare/errors';
import type { OutboxStore } from '@daycare/messaging';
import type { Agent } from '../domain/agent';
import { decideAgentMessage, needsRelation, type Relation } from '../domain/agent-message-rules';
import { parentOf } from '../domain/descriptor-kinds';
import { guardWording, refuseMessage, type RunawayGuards } from '../domain/runaway-guards';
import type { AgentStore } from '../store/agent-store';
import type { ContactStore } from '../store/contact-store';
import type { InboxStore } from '../store/inbox-store';
import { messageIdOf } from './message-id';
import type { RankForeground } from './rank-foreground';
import type { TellAgent } from './tell-agent';

export interface SendCall {
  readonly userId: string;
  /** The agent that sends; empty when the caller is a person. */
  readonly senderAgentId: string;
  readonly requestId: string;
  /** Empty for the parent or the most recent foreground agent. */
  readonly agentId: string;
  readonly text: string;
  /** How many agents in a row have led to this message. */
  readonly hops: number;
}

/** How the sender stands to another user; undefined when it may not reach it. */
export type FindRelation = (from: Agent, recipientUserId: string) => Promise<Relation | undefined>;

export interface SendDeps {
  readonly agents: AgentStore;
  readonly contacts: ContactStore;
  readonly outbox: OutboxStore;
  readonly inbox: InboxStore;
  readonly rankForeground: RankForeground;
  readonly findRelation: FindRelation;
  readonly tellAgent: TellAgent;
  readonly guards: RunawayGuards;
}

export interface SentAgentMessage {
  readonly messageId: string;
  readonly agentId: string;
}

/**
 * Sends text from one agent to another. Whether it may cross users is asked after the call began, and
 * never remembered, so that a revoke that was answered before counts.
 */
export function makeSendAgentMessage(deps: SendDeps) {
  return async (call: SendCall): Promise<SentAgentMessage> => {
    check(call);
    const from = await findSender(deps, call);
    const text = call.text.trim();
    const messageId = messageIdOf('agent', from.id, call.agentId, call.requestId, text);
    const to = await findRecipient(deps, call, from, messageId);
    // For an agent that does not exist social-graph is asked all the same: the answer takes as long.
    const isAllowed = to
      ? await mayReach(deps, from, to)
      : (await deps.findRelation(from, call.agentId), false);
    if (!to || !isAllowed) {
      // The answer to a message accepted before may have been lost; its retry is no new message.
      if (to && (await isAccepted(deps, messageId))) return { messageId, agentId: to.id };
      throw denied();
    }
    const refusal = refuseMessage(call.hops, deps.guards);
    if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
    if (to.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    const { id: senderAgentId, userId: senderUserId } = from;
    const news = { messageId, senderUserId, senderAgentId, origin: from.id, text, hops: call.hops };
    await deps.tellAgent({ agentId: to.id, userId: to.userId }, news);
    return { messageId, agentId: to.id };
  };
}

function check({ requestId, senderAgentId, agentId, text }: SendCall): void {
  const checks = new FieldChecks().requestId(requestId);
  if (agentId !== '') checks.id(agentId, 'agent_id');
  checks.text(text, 'text', { min: 1, max: 32_768 }).done();
  if (senderAgentId === '')
    throw new AppError('FAILED_PRECONDITION', 'This call is made with the token of an agent');
}

async function findSender(
  { agents }: SendDeps,
  { userId, senderAgentId }: SendCall,
): Promise<Agent> {
  const agent = await agents.find(senderAgentId);
  if (agent?.userId === userId && !agent.diedAt) return agent;
  throw new AppError('FAILED_PRECONDITION', 'The calling agent does not exist');
}

async function findRecipient(
  { agents, inbox, rankForeground }: SendDeps,
  { agentId }: SendCall,
  from: Agent,
  messageId: string,
): Promise<Agent | undefined> {
  const named = agentId || parentOf(from.descriptor);
  if (named) return agents.find(named);
  // The most recent agent may be another one by the time the call is repeated.
  const earlier = await inbox.findRecipient(from.userId, messageId);
  if (earlier) return agents.find(earlier);
  const ranked = await rankForeground(from.userId);
  const [recipient] = ranked;
  if (recipient) return recipient;
  throw new AppError('FAILED_PRECONDITION', 'There is no foreground agent to send this to');
}

async function mayReach(deps: SendDeps, from: Agent, to: Agent): Promise<boolean> {
  if (from.userId === to.userId) return true;
  const [relation, wroteBefore] = await Promise.all([
    needsRelation(from, to) ? deps.findRelation(from, to.userId) : undefined,
    deps.contacts.has(addressOf(from), addressOf(to)),
  ]);
  return decideAgentMessage({ from, to, wroteBefore, relation }) === 'allowed';
}

async function isAccepted({ outbox }: SendDeps, messageId: string): Promise<boolean> {
  return (await outbox.status(messageId)).state !== 'unknown';
}

function addressOf({ id: agentId, userId }: Agent): { agentId: string; userId: string } {
  return { agentId, userId };
}

/** The same whether or not there is such an agent. */
function denied(): AppError {
  return new AppError('PERMISSION_DENIED', 'This agent may not send messages to that agent');
}
