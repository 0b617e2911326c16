import { AppError, notFound } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import { gatewayKey } from '../domain/descriptor-kinds';
import type { AgentAddress, SystemMessageItem } from '../domain/inbox-item';
import type { AgentStore } from '../store/agent-store';
import type { ContactStore } from '../store/contact-store';
import type { DeadLetterStore } from '../store/dead-letter-store';
import type { MailboxStore } from '../store/mailbox-store';
import type { Directory } from './ensure-agent';
import type { PutItems } from './put-items';
import type { RouteMailbox } from './route-mailbox';

/** A system message as it came off the stream. */
export interface IncomingMessage {
  readonly messageId: string;
  readonly userId: string;
  readonly target: MessageTarget;
  readonly text: string;
  readonly origin: string;
  readonly silent: boolean;
  readonly hops: number;
  readonly sender: AgentAddress | undefined;
  readonly acceptedAt: Date;
}

export type MessageTarget =
  | { readonly kind: 'foreground' }
  | { readonly kind: 'gateway' }
  | { readonly kind: 'agent'; readonly agentId: string };

export interface DeliverDeps {
  readonly agents: AgentStore;
  readonly mailbox: MailboxStore;
  readonly contacts: ContactStore;
  readonly deadLetters: DeadLetterStore;
  readonly putItems: PutItems;
  readonly routeMailbox: RouteMailbox;
  readonly directory: Directory;
  readonly now: () => Date;
}

/**
 * Stores what a user's agents are to hear; resolves once it cannot be lost any more. May be called
 * with the same message at any time and by any replica. What was given up once is refused for good.
 */
export type DeliverSystemMessage = (message: IncomingMessage) => Promise<void>;

export function makeDeliverSystemMessage(
  deps: Pick<DeliverDeps, 'deadLetters'>,
  redeliver: DeliverSystemMessage,
): DeliverSystemMessage {
  return async (message) => {
    const letter = await deps.deadLetters.find(message.messageId);
    if (letter) throw new AppError('FAILED_PRECONDITION', letter.reason);
    await redeliver(message);
  };
}

/** The same for a message that was given up and is to be tried once more. */
export function makeRedeliverSystemMessage(
  deps: Omit<DeliverDeps, 'deadLetters'>,
): DeliverSystemMessage {
  return async (message) => {
    if (!(await deps.directory.findById(message.userId))) throw notFound('user');
    if (message.target.kind === 'foreground') await toForeground(deps, message);
    else await toAgent(deps, message, await findTarget(deps, message));
  };
}

/**
 * Through the mailbox, so that what came while there was no agent goes first. The agents are looked up
 * after the message is stored, and the mailbox after an agent is: one of the two sees the other.
 */
async function toForeground(
  deps: Omit<DeliverDeps, 'deadLetters'>,
  message: IncomingMessage,
): Promise<void> {
  const { messageId, userId, acceptedAt } = message;
  const { isDelivered } = await deps.mailbox.put({
    ...said(message),
    messageId,
    userId,
    acceptedAt,
  });
  if (!isDelivered) await deps.routeMailbox(userId);
}

async function toAgent(
  { contacts, putItems, now }: Omit<DeliverDeps, 'deadLetters'>,
  message: IncomingMessage,
  agent: Agent,
): Promise<void> {
  const { messageId, userId, acceptedAt, sender } = message;
  if (sender && agent.kind === 'subuser' && sender.userId !== userId)
    await contacts.add({ agentId: agent.id, userId }, sender, now());
  await putItems([
    { agent, item: { ...said(message), messageId, userId, acceptedAt, agentId: agent.id } },
  ]);
}

async function findTarget(
  { agents }: Pick<DeliverDeps, 'agents'>,
  message: IncomingMessage,
): Promise<Agent> {
  const { userId, target } = message;
  const agent =
    target.kind === 'agent'
      ? await agents.find(target.agentId)
      : await agents.findByKey(userId, gatewayKey(userId));
  if (agent?.userId !== userId) throw notFound('agent');
  if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
  return agent;
}

function said({ text, origin, silent, hops, sender }: IncomingMessage): SystemMessageItem {
  const from = sender ? { sender } : {};
  return { kind: 'system_message', text, origin, silent, hops, ...from };
}
