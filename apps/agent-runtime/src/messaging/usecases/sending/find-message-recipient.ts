import { AppError, parseNametag } from '@daycare/api';
import {
  type Agent,
  type AgentReader,
  parentOf,
  type RankForeground,
  type StartedBy,
} from '../../../agents';
import { isGateway, type MessageParty } from '../../domain/agent-message-rules';
import { answeredWriter, isWriterOrigin, type AnsweredWriter } from '../../domain/answer-target';
import type { ContactStore } from '../../store/contact-store';
import type { InboxStore } from '../../store/inbox-store';

/** The recipient of a message. */
export interface MessageRecipient {
  /** Undefined when the message goes to a user's foreground agents. */
  readonly agent: Agent | undefined;
  readonly party: MessageParty;
  /**
   * Set when a friend or owner who wrote by nametag is answered by nametag: the origin of what they wrote,
   * `friend:<nametag>` or `owner:<nametag>`.
   */
  readonly writerOrigin: string | undefined;
}

export interface FindRecipientDeps {
  readonly agents: AgentReader;
  readonly contacts: ContactStore;
  readonly inbox: InboxStore;
  readonly rankForeground: RankForeground;
}

export interface RecipientQuery {
  readonly from: Agent;
  /** As given by the caller; empty for the default recipient. */
  readonly agentId: string;
  /** Who started the sending turn; undefined when no turn sends the message. */
  readonly startedBy: StartedBy | undefined;
  readonly messageId: string;
}

/**
 * Finds the recipient of a message; undefined if the agent does not exist, or if no one with the given nametag has
 * written to the gateway. The sender must not be able to distinguish this from a recipient that it may not reach.
 * Throws FAILED_PRECONDITION if an agent that is not a gateway names a nametag, or if the message would go to a
 * foreground agent of the sender's user and there is none.
 */
export async function findMessageRecipient(
  deps: FindRecipientDeps,
  query: RecipientQuery,
): Promise<MessageRecipient | undefined> {
  const { from, agentId, startedBy } = query;
  if (isWriterOrigin(agentId)) return findWriter(deps, from, agentId);
  if (agentId !== '') return toRecipient(await deps.agents.find(agentId));
  if (startedBy && isGateway(from)) {
    const writer = answeredWriter(startedBy);
    if (writer) return recipientOf(deps, startedBy.origin, writer);
    if (startedBy.sender) return toRecipient(await deps.agents.find(startedBy.sender.agentId));
  }
  return toRecipient(await findDefault(deps, query));
}

/** Finds the writer whom a gateway addresses by a message's origin, `friend:<nametag>` or `owner:<nametag>`. */
async function findWriter(
  deps: FindRecipientDeps,
  from: Agent,
  origin: string,
): Promise<MessageRecipient | undefined> {
  if (!isGateway(from))
    throw new AppError('FAILED_PRECONDITION', 'Use friend_send to write to a friend by nametag');
  const [kind = '', typed = ''] = origin.split(':');
  const writerOrigin = `${kind}:${parseNametag(typed) ?? ''}`;
  const writer = await deps.contacts.findWriter(from.id, writerOrigin);
  return writer && recipientOf(deps, writerOrigin, writer);
}

/** Returns the agent that wrote, or the user's foreground agents if a person wrote or that agent has ended. */
async function recipientOf(
  { agents }: FindRecipientDeps,
  writerOrigin: string,
  { userId, agentId }: AnsweredWriter,
): Promise<MessageRecipient> {
  const agent = agentId === undefined ? undefined : await agents.find(agentId);
  const isReachable = agent?.userId === userId && !agent.diedAt;
  const party: MessageParty = { userId, ownerUserId: undefined, kind: 'user' };
  return isReachable
    ? { agent, party: agent, writerOrigin }
    : { agent: undefined, party, writerOrigin };
}

async function findDefault(
  { agents, inbox, rankForeground }: FindRecipientDeps,
  { from, messageId }: RecipientQuery,
): Promise<Agent | undefined> {
  const parent = parentOf(from.descriptor);
  if (parent) return agents.find(parent);
  // By the time a call is retried, another agent may be the most recent one.
  const earlier = await inbox.findRecipient(from.userId, messageId);
  if (earlier) return agents.find(earlier);
  const [recipient] = await rankForeground(from.userId);
  if (recipient) return recipient;
  throw new AppError('FAILED_PRECONDITION', 'There is no foreground agent to send this to');
}

function toRecipient(agent: Agent | undefined): MessageRecipient | undefined {
  return agent && { agent, party: agent, writerOrigin: undefined };
}
