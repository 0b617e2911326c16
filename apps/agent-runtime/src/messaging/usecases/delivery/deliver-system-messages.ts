import { AppError } from '@daycare/api';
import { noLongerAllowedReason } from '@daycare/messaging';
import { isWriterOrigin } from '../../domain/answer-target';
import { closingKey, closingOf } from '../../domain/closed-tie';
import type { MessageRef } from '../../domain/inbox-item';
import type { ContactStore } from '../../store/contact-store';
import type { DeadLetterStore } from '../../store/dead-letter-store';
import type { TiedMessageStore } from '../../store/tied-message-store';
import type { PlaceItems } from '../inbox/place-items';
import type { DropClosedMessages } from '../ties/close-tie';
import {
  findClosedTies,
  planDeliveries,
  type Delivery,
  type DeliveryPlan,
  type PlanDeps,
} from './plan-deliveries';
import type { RouteMailbox } from '../inbox/route-mailbox';

export interface DeliverDeps extends PlanDeps {
  readonly tiedMessages: Pick<TiedMessageStore, 'filterDropped'>;
  readonly contacts: ContactStore;
  readonly deadLetters: DeadLetterStore;
  readonly placeItems: PlaceItems;
  readonly routeMailbox: RouteMailbox;
  readonly dropClosedMessages: DropClosedMessages;
  readonly now: () => Date;
}

/**
 * Stores messages for users' agents, many at a time. May be called again with the same message, at any time and by
 * any replica. A message that was abandoned is refused, unless its dead letter has been retried.
 */
export interface DeliverSystemMessages {
  /** Plans the delivery of each message; an Error means that this one message cannot be delivered. */
  prepare(deliveries: readonly Delivery[]): Promise<readonly (DeliveryPlan | Error)[]>;
  /**
   * Resolves once all messages are stored durably, in this order. Returns why messages were dropped, by message id.
   */
  store(plans: readonly DeliveryPlan[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the ids of messages that were stored or abandoned, or whose user does not exist. */
  findHandled(messages: readonly MessageRef[]): Promise<ReadonlySet<string>>;
}

export function makeDeliverSystemMessages(deps: DeliverDeps): DeliverSystemMessages {
  return {
    async prepare(deliveries) {
      const [plans, letters] = await Promise.all([
        planDeliveries(deps, deliveries),
        deps.deadLetters.findMany(deliveries.map(({ message }) => message.messageId)),
      ]);
      return plans.map((plan, index) => {
        const letter = letters.get(deliveries[index]?.message.messageId ?? '');
        return letter ? new AppError('FAILED_PRECONDITION', letter.reason) : plan;
      });
    },
    store: (plans) => store(deps, plans),
    findHandled: (messages) => findHandled(deps, messages),
  };
}

/** Delivers a message that was abandoned and is being retried; rejects when it is still undeliverable. */
export type RedeliverSystemMessage = (delivery: Delivery) => Promise<void>;

export function makeRedeliverSystemMessage(deps: DeliverDeps): RedeliverSystemMessage {
  return async (delivery) => {
    for (const plan of await planDeliveries(deps, [delivery])) {
      if (plan instanceof Error) throw plan;
      if (plan.droppedBy) throw new AppError('FAILED_PRECONDITION', noLongerAllowedReason);
      await store(deps, [plan]);
    }
  };
}

/** Stores the messages that are not known to be stored, then drops those whose ties have ended. */
async function store(
  deps: DeliverDeps,
  all: readonly DeliveryPlan[],
): Promise<ReadonlyMap<string, string>> {
  await place(
    deps,
    all.filter(({ isStored }) => !isStored),
  );
  return dropForbidden(deps, all);
}

/**
 * Reads the closings again, as some may have been recorded since the messages were prepared, and drops the messages
 * that they forbid. Call it after the messages are stored.
 */
async function dropForbidden(
  deps: DeliverDeps,
  plans: readonly DeliveryPlan[],
): Promise<ReadonlyMap<string, string>> {
  const closed = await findClosedTies(deps, plans);
  const forbidden = plans.flatMap(({ item: { messageId: id, userId }, tie }) => {
    const closing = tie && closingOf(tie, closed.get(tie.id));
    return closing ? [{ id, userId, closing }] : [];
  });
  if (forbidden.length === 0) return new Map();
  const closings = new Map(forbidden.map(({ closing }) => [closingKey(closing), closing]));
  for (const closing of closings.values()) await deps.dropClosedMessages(closing);
  const dropped = await deps.tiedMessages.filterDropped(forbidden);
  return new Map([...dropped].map((id) => [id, noLongerAllowedReason]));
}

/**
 * Mail that is already waiting gets its recipients before any of these messages is stored with recipients. After
 * storing messages without recipients, this routes their users' mailboxes; whoever creates a user's first foreground
 * agent routes the mailbox afterwards, too. So if both happen at once, at least one of them finds what the other has
 * stored.
 */
async function place(deps: DeliverDeps, plans: readonly DeliveryPlan[]): Promise<void> {
  const usersOf = (some: readonly DeliveryPlan[]): string[] => [
    ...new Set(some.map(({ item }) => item.userId)),
  ];
  const received = plans.filter(({ droppedBy }) => !droppedBy);
  const unrouted = received.filter(({ recipients }) => recipients.length === 0);
  const usersWithoutAgents = new Set(usersOf(unrouted));
  const usersWithOlderMail = usersOf(plans.filter(({ hasOlderMail }) => hasOlderMail)).filter(
    (id) => !usersWithoutAgents.has(id),
  );
  await Promise.all([...usersWithOlderMail.map(deps.routeMailbox), addContacts(deps, plans)]);
  await deps.placeItems(
    // If a user had no foreground agent when one of the messages was prepared, all foreground messages of that user go
    // through the mailbox, even those prepared after the first such agent was created: otherwise later messages could
    // overtake earlier ones.
    plans.map((plan) =>
      plan.target === 'foreground' && usersWithoutAgents.has(plan.item.userId)
        ? { ...plan, recipients: [] }
        : plan,
    ),
  );
  await Promise.all([...usersWithoutAgents].map(deps.routeMailbox));
}

/**
 * Records who has written to gateways. Call it before storing the messages, so that a gateway can answer a message
 * as soon as it receives it.
 */
async function addContacts(
  { contacts, now }: DeliverDeps,
  plans: readonly DeliveryPlan[],
): Promise<void> {
  const at = now();
  const received = plans.flatMap(({ item, recipients: [agent] }) =>
    agent?.kind === 'subuser' ? { item, gateway: { agentId: agent.id, userId: item.userId } } : [],
  );
  const writers = received.flatMap(({ item: { origin, sender, senderUserId }, gateway }) =>
    isWriterOrigin(origin) && senderUserId !== undefined
      ? { gateway, origin, writer: { userId: senderUserId, agentId: sender?.agentId }, at }
      : [],
  );
  const agents = received.flatMap(({ item: { sender }, gateway }) =>
    sender && sender.userId !== gateway.userId ? { gateway, writer: sender, at } : [],
  );
  await Promise.all([contacts.addAll(agents), contacts.addWriters(writers)]);
}

async function findHandled(
  { inbox, deadLetters, directory }: DeliverDeps,
  messages: readonly MessageRef[],
): Promise<ReadonlySet<string>> {
  const [{ all }, letters] = await Promise.all([
    inbox.findStored(messages),
    deadLetters.findIds(messages.map(({ id }) => id)),
  ]);
  const handled = new Set([...all, ...letters]);
  const orphans = await Promise.all(
    messages
      .filter(({ id }) => !handled.has(id))
      .map(async ({ id, userId }) => ((await directory.findById(userId)) ? [] : id)),
  );
  return new Set([...handled, ...orphans.flat()]);
}
