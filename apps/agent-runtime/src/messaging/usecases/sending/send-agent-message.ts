import { AppError, FieldChecks, messageIdOf } from '@daycare/api';
import {
  agentDead,
  type Agent,
  guardWording,
  isVisibleTo,
  messageRefusal,
  type RunawayGuards,
  type StartedBy,
} from '../../../agents';
import { relationsAllowing, type Relation } from '../../domain/agent-message-rules';
import { isWriterOrigin } from '../../domain/answer-target';
import { labelsOf, type SendingTurn } from '../../domain/sending-turn';
import type { DeliverToAgent } from '../delivery/deliver-to-agent';
import {
  findMessageRecipient,
  type FindRecipientDeps,
  type MessageRecipient,
  type RecipientQuery,
} from './find-message-recipient';
import type { DeliverAcrossUsers, QueueBehindWiredMessages, RoutedMessage } from './message-routes';

export interface SendCall extends SendingTurn {
  readonly userId: string;
  /** The sending agent; empty when the caller is a person. */
  readonly senderAgentId: string;
  readonly requestId: string;
  /**
   * An agent or, for a gateway, `friend:<nametag>` or `owner:<nametag>` of someone who has written to it. When empty, a
   * gateway answers the writer or agent that started its turn, if there is one. In all other cases the message goes to
   * the sender's parent or, if the sender has none, to the most recent foreground agent of the sender's user.
   */
  readonly agentId: string;
  readonly text: string;
  /** Who started the sending turn; absent when no turn sends the message. */
  readonly startedBy?: StartedBy | undefined;
}

/** Finds the relation of a user to the sender's user; undefined when the sender may not reach that user. */
export type FindRelation = (from: Agent, recipientUserId: string) => Promise<Relation | undefined>;

export interface SendDeps extends FindRecipientDeps {
  readonly findRelation: FindRelation;
  readonly deliverToAgent: DeliverToAgent;
  readonly deliverAcrossUsers: DeliverAcrossUsers;
  readonly queueBehindWiredMessages: QueueBehindWiredMessages;
  readonly guards: RunawayGuards;
}

export interface SentAgentMessage {
  readonly messageId: string;
  /** The recipient: an agent, or the writer that a gateway has answered, as `friend:<nametag>` or `owner:<nametag>`. */
  readonly agentId: string;
}

/**
 * Sends text from one agent to another. Permission to message other users is checked by the service that
 * accepts the message, and never cached, so revoking a share takes effect as soon as the revocation is
 * acknowledged.
 */
export function makeSendAgentMessage(deps: SendDeps) {
  return async (call: SendCall): Promise<SentAgentMessage> => {
    check(call);
    const from = await findSender(deps, call);
    const refusal = messageRefusal(call.hops, deps.guards);
    if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
    const message = messageOf(call, from);
    const { agentId, startedBy } = call;
    const query = { from, agentId, startedBy, messageId: message.messageId };
    const to = await findMessageRecipient(deps, query);
    if (to?.agent?.userId === from.userId) await sendWithinUser(deps, from, to.agent, message);
    else if (!(await sendAcrossUsers(deps, query, to, message))) throw denied();
    return { messageId: message.messageId, agentId: to?.writerOrigin ?? to?.agent?.id ?? '' };
  };
}

function messageOf(call: SendCall, from: Agent): RoutedMessage {
  const { agentId, requestId, hops } = call;
  const text = call.text.trim();
  const messageId = messageIdOf('agent', from.id, agentId, requestId, text);
  return { messageId, text, hops, ...labelsOf(call) };
}

function check({ requestId, senderAgentId, agentId, text }: SendCall): void {
  const checks = new FieldChecks().requestId(requestId);
  if (isWriterOrigin(agentId)) checks.nametag(agentId.slice(agentId.indexOf(':') + 1), 'agent_id');
  else if (agentId !== '') checks.id(agentId, 'agent_id');
  checks.text(text, 'text', { min: 1, max: 32_768 }).done();
  if (senderAgentId === '')
    throw new AppError(
      'FAILED_PRECONDITION',
      'Only an agent can send agent messages; call this with an agent token',
    );
}

async function findSender(
  { agents }: SendDeps,
  { userId, senderAgentId }: SendCall,
): Promise<Agent> {
  const agent = await agents.find(senderAgentId);
  if (agent?.userId === userId && !agent.diedAt) return agent;
  throw new AppError('FAILED_PRECONDITION', 'The calling agent does not exist or is dead');
}

/**
 * A message to an agent of the same user goes straight into the inbox, unless the sender is wired (has sent channel
 * messages or emitted signals) and some of its channel messages or signals to that agent have not been delivered yet.
 */
async function sendWithinUser(
  { deliverToAgent, queueBehindWiredMessages }: SendDeps,
  from: Agent,
  to: Agent,
  message: RoutedMessage,
): Promise<void> {
  if (to.diedAt) throw agentDead();
  if (from.isWired && (await queueBehindWiredMessages(from, to.id, message))) return;
  const sender = { senderAgentId: from.id, senderUserId: from.userId, origin: from.id };
  await deliverToAgent({ agentId: to.id, userId: to.userId }, { ...message, ...sender });
}

/** Resolves to whether the message was accepted. */
async function sendAcrossUsers(
  deps: SendDeps,
  { from, agentId }: RecipientQuery,
  to: MessageRecipient | undefined,
  message: RoutedMessage,
): Promise<boolean> {
  if (!to) {
    // social-graph is called even for an unknown agent, so that the timing does not reveal whether the
    // agent exists.
    if (agentId !== '' && !isWriterOrigin(agentId)) await deps.findRelation(from, agentId);
    return false;
  }
  const allowedRelations = await relationsFor(deps, from, to);
  if (to.agent?.diedAt) {
    // An owner sees a subuser's agents, even after the subuser has been deleted.
    if (isVisibleTo(to.agent, from.userId)) throw agentDead();
    const relation = await deps.findRelation(from, to.party.userId);
    if (relation && allowedRelations.includes(relation)) throw agentDead();
    return false;
  }
  return deps.deliverAcrossUsers(from, {
    ...message,
    recipientUserId: to.party.userId,
    recipientAgentId: to.agent?.id ?? '',
    allowedRelations,
    asSubuser: to.writerOrigin !== undefined,
  });
}

async function relationsFor(
  { contacts }: SendDeps,
  from: Agent,
  { agent, party, writerOrigin }: MessageRecipient,
): Promise<Relation[]> {
  const writer = { agentId: agent?.id ?? '', userId: party.userId };
  const isReply =
    writerOrigin !== undefined ||
    (await contacts.has({ agentId: from.id, userId: from.userId }, writer));
  return relationsAllowing({ from, to: party, isReply });
}

/** The error is the same whether or not the agent exists. */
function denied(): AppError {
  return new AppError('PERMISSION_DENIED', 'This agent may not send messages to that agent');
}
