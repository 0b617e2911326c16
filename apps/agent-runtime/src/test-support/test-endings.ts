import { createId } from '@daycare/api/create-id';
import { OutboxStore } from '@daycare/messaging';
import { makeRankForeground } from '../agents/usecases/rank-foreground';
import type { MessageTie } from '../messaging/domain/closed-tie';
import { ClosedTieStore } from '../messaging/store/closed-tie-store';
import { ContactStore } from '../messaging/store/contact-store';
import {
  makeCloseTie,
  makeDropClosedMessages,
  makeSweepClosedMessages,
} from '../messaging/usecases/ties/close-tie';
import {
  makeDeliverSystemMessages,
  type DeliverDeps,
} from '../messaging/usecases/delivery/deliver-system-messages';
import type { Delivery, DeliveryPlan } from '../messaging/usecases/delivery/plan-deliveries';
import { makeRouteMailbox } from '../messaging/usecases/inbox/route-mailbox';
import type { TestRuntime } from './test-runtime';

const now = (): Date => new Date();

/** The usecases that deliver messages and drop messages of ended ties, as one replica builds them. */
export function buildTestDelivery(
  runtime: TestRuntime,
  overrides: Partial<Pick<DeliverDeps, 'placeItems' | 'directory' | 'ensureGateways'>> = {},
) {
  const { db } = runtime.mongo;
  const outbox = new OutboxStore(db, 'agent-runtime');
  const closedTies = new ClosedTieStore(db);
  const { tiedMessages } = runtime;
  const dropClosedMessages = makeDropClosedMessages({ ...runtime, outbox, now });
  const rankForeground = makeRankForeground({ ...runtime, sleepAfterMs: 60_000, now });
  const deps = { ...runtime, rankForeground, now };
  const directory: DeliverDeps['directory'] = {
    findById: async (userId) => ({ userId, parentUserId: undefined }),
  };
  return {
    closedTies,
    outbox,
    dropClosedMessages,
    closeTie: makeCloseTie({ closedTies, dropClosedMessages }),
    sweepClosedMessages: makeSweepClosedMessages({ tiedMessages, closedTies, dropClosedMessages }),
    ...makeDeliverSystemMessages({
      ...deps,
      closedTies,
      dropClosedMessages,
      contacts: new ContactStore(db),
      routeMailbox: makeRouteMailbox(deps),
      directory,
      ensureGateways: async () => new Map(),
      ...overrides,
    }),
  };
}

/** A friend's message to a user's foreground agents. */
export function friendMail(
  userId: string,
  text: string,
  tie: MessageTie | undefined,
  messageId = createId(),
): Delivery {
  const content = { text, origin: 'friend:otter7', silent: false, hops: 0 };
  const metadata = { userId, messageId, acceptedAt: now(), senderUserId: 'friend' };
  const message = { kind: 'system_message' as const, ...metadata, ...content };
  return { message, target: { kind: 'foreground' }, tie, isRedelivery: false };
}

/** A tie between two new users. */
export const newTie = (version = 3): MessageTie => ({ id: `${createId()}:${createId()}`, version });

type TestDelivery = ReturnType<typeof buildTestDelivery>;

/** Delivers messages; returns, for each message, `delivered` or the reason why it was dropped. */
export async function deliver(
  delivery: TestDelivery,
  mail: readonly Delivery[],
): Promise<string[]> {
  const plans = await delivery.prepare(mail);
  const dropped = await delivery.store(plans as DeliveryPlan[]);
  return mail.map(({ message }) => dropped.get(message.messageId) ?? 'delivered');
}
