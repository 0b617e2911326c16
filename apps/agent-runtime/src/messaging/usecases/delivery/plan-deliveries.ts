import { AppError, notFound, toAppError } from '@daycare/api';
import {
  agentDead,
  type Agent,
  type AgentReader,
  type Directory,
  gatewayKey,
  type RankForeground,
} from '../../../agents';
import { closingOf, type ClosedTie, type MessageTie } from '../../domain/closed-tie';
import { isTooLong, type IncomingMessage, type MessageTarget } from '../../domain/inbox-item';
import type { PlacedItem } from '../../domain/placed-item';
import type { ClosedTieStore } from '../../store/closed-tie-store';
import type { InboxStore } from '../../store/inbox-store';
import type { MailboxStore } from '../../store/mailbox-store';

export interface PlanDeps {
  readonly agents: AgentReader;
  readonly inbox: Pick<InboxStore, 'findStored'>;
  readonly mailbox: Pick<MailboxStore, 'usersWithUnrouted'>;
  readonly closedTies: Pick<ClosedTieStore, 'find'>;
  readonly rankForeground: RankForeground;
  readonly directory: Directory;
  /**
   * Creates gateways for subusers that have none yet; returns each gateway, or why it cannot be created. Deleted
   * subusers are missing from the result.
   */
  readonly ensureGateways: (
    subuserIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Agent | Error>>;
}

export interface Delivery {
  readonly message: IncomingMessage;
  readonly target: MessageTarget;
  /** The tie that allows the message; absent if none is needed, e.g. between one owner's agents. */
  readonly tie?: MessageTie | undefined;
  /** Whether NATS has delivered the message before, so that it may already be stored. */
  readonly isRedelivery: boolean;
}

/** A message that can be stored. */
export interface DeliveryPlan extends PlacedItem {
  readonly item: IncomingMessage;
  readonly target: MessageTarget['kind'];
  /** Whether older messages are waiting in the user's mailbox; these recipients have to receive them first. */
  readonly hasOlderMail: boolean;
  /** Whether the message is known to be stored with its recipients. */
  readonly isStored: boolean;
}

interface DeliveryFacts extends Targets {
  readonly users: ReadonlySet<string>;
  /** Each user's foreground agents, ranked, by user id. */
  readonly foreground: ReadonlyMap<string, readonly Agent[]>;
  readonly usersWithUnrouted: ReadonlySet<string>;
  /** The ids of redelivered messages that are stored and have their recipients. */
  readonly routedIds: ReadonlySet<string>;
  readonly closed: ReadonlyMap<string, ClosedTie>;
}

/**
 * Plans the delivery of each message; an Error means that this one message cannot be delivered. Every message that has
 * to be delivered before one of these must be stored already or be among them, so that it is known which of those
 * earlier messages have no recipients yet.
 */
export async function planDeliveries(
  deps: PlanDeps,
  deliveries: readonly Delivery[],
): Promise<readonly (DeliveryPlan | Error)[]> {
  const userIds = idsOfUsers(deliveries);
  const foregroundUserIds = idsOfUsers(
    deliveries.filter(({ target }) => target.kind === 'foreground'),
  );
  const [users, foreground, unrouted, targets, routedIds, closed] = await Promise.all([
    Promise.all(userIds.map((userId) => deps.directory.findById(userId))),
    Promise.all(foregroundUserIds.map(async (id) => [id, await deps.rankForeground(id)] as const)),
    deps.mailbox.usersWithUnrouted(foregroundUserIds),
    findTargets(deps.agents, deliveries),
    findRouted(deps, deliveries),
    findClosedTies(deps, deliveries),
  ]);
  const existing = users.filter((user) => user !== undefined);
  const facts: DeliveryFacts = {
    byId: targets.byId,
    gateways: await withNewGateways(deps, targets, existing),
    users: new Set(existing.map(({ userId }) => userId)),
    foreground: new Map(foreground),
    usersWithUnrouted: new Set(unrouted),
    routedIds,
    closed,
  };
  return deliveries.map((delivery) => planOf(delivery, facts));
}

function idsOfUsers(deliveries: readonly Delivery[]): string[] {
  return [...new Set(deliveries.map(({ message }) => message.userId))];
}

async function findRouted(
  { inbox }: PlanDeps,
  deliveries: readonly Delivery[],
): Promise<ReadonlySet<string>> {
  const redelivered = deliveries.filter(({ isRedelivery }) => isRedelivery);
  const refs = redelivered.map(({ message: { messageId: id, userId } }) => ({ id, userId }));
  const { all, unrouted } = await inbox.findStored(refs);
  return new Set([...all].filter((id) => !unrouted.has(id)));
}

function planOf(delivery: Delivery, facts: DeliveryFacts): DeliveryPlan | Error {
  const { message, target } = delivery;
  const { userId, messageId } = message;
  if (!facts.users.has(userId)) return notFound('user');
  if (isTooLong(message)) return new AppError('INVALID_ARGUMENT', 'The message is too long');
  const { tie } = delivery;
  const droppedBy = tie && closingOf(tie, facts.closed.get(tie.id));
  if (droppedBy) return droppedPlan(delivery, droppedBy);
  const recipients = recipientsOf(delivery, facts);
  if (recipients instanceof Error) return recipients;
  return {
    item: message,
    target: target.kind,
    recipients,
    hasOlderMail: target.kind === 'foreground' && facts.usersWithUnrouted.has(userId),
    isStored: facts.routedIds.has(messageId),
    tie,
  };
}

function droppedPlan({ message, target, tie }: Delivery, droppedBy: MessageTie): DeliveryPlan {
  const unrouted = { recipients: [], hasOlderMail: false, isStored: false };
  return { item: message, target: target.kind, ...unrouted, tie, droppedBy };
}

/** Returns the recorded closings of these messages' ties, by the tie's id. */
export async function findClosedTies(
  { closedTies }: Pick<PlanDeps, 'closedTies'>,
  messages: readonly Pick<Delivery, 'tie'>[],
): Promise<ReadonlyMap<string, ClosedTie>> {
  const ids = [...new Set(messages.flatMap(({ tie }) => tie?.id ?? []))];
  const found = await Promise.all(ids.map((id) => closedTies.find(id)));
  return new Map(found.flatMap((closed) => (closed ? [[closed.id, closed]] : [])));
}

function recipientsOf(
  { message: { userId }, target }: Delivery,
  { byId, gateways, foreground }: DeliveryFacts,
): readonly Agent[] | Error {
  if (target.kind === 'foreground') return foreground.get(userId) ?? [];
  const agent = target.kind === 'agent' ? byId.get(target.agentId) : gateways.get(userId);
  if (agent instanceof Error) return agent;
  if (agent?.userId !== userId) return notFound('agent');
  return agent.diedAt ? agentDead() : [agent];
}

interface Targets {
  readonly byId: ReadonlyMap<string, Agent>;
  /** By user id. */
  readonly gateways: ReadonlyMap<string, Agent | Error>;
}

/** Creates missing gateways: a subuser that was created only in identity has none until a message is sent to it. */
async function withNewGateways(
  { ensureGateways }: PlanDeps,
  { gatewayUserIds, gateways }: FoundTargets,
  users: readonly DirectoryUser[],
): Promise<Targets['gateways']> {
  const missing = users.flatMap(({ userId, parentUserId }) =>
    parentUserId !== undefined && gatewayUserIds.has(userId) && !gateways.has(userId) ? userId : [],
  );
  if (missing.length === 0) return gateways;
  const created = await ensureGateways(missing).catch(
    (error: unknown) => new Map(missing.map((id) => [id, toAppError(error)] as const)),
  );
  return new Map([...gateways, ...created]);
}

type DirectoryUser = NonNullable<Awaited<ReturnType<Directory['findById']>>>;

interface FoundTargets {
  readonly byId: ReadonlyMap<string, Agent>;
  readonly gateways: ReadonlyMap<string, Agent>;
  /** The users to whose gateways messages are addressed. */
  readonly gatewayUserIds: ReadonlySet<string>;
}

async function findTargets(
  agents: AgentReader,
  deliveries: readonly Delivery[],
): Promise<FoundTargets> {
  const ids = deliveries.flatMap(({ target }) => (target.kind === 'agent' ? target.agentId : []));
  const gatewayUserIds = idsOfUsers(deliveries.filter(({ target }) => target.kind === 'gateway'));
  const keys = gatewayUserIds.map((userId) => ({ userId, key: gatewayKey(userId) }));
  const [addressed, gateways] = await Promise.all([
    ids.length === 0 ? [] : agents.findMany([...new Set(ids)]),
    keys.length === 0 ? [] : agents.findByKeys(keys),
  ]);
  return {
    byId: new Map(addressed.map((agent) => [agent.id, agent])),
    gateways: new Map(gateways.map((agent) => [agent.userId, agent])),
    gatewayUserIds: new Set(gatewayUserIds),
  };
}
