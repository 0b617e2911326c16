import type { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/api';
import {
  connectNats,
  consumeSystemMessages,
  defineSystemStream,
  inboxService,
  oneByOne,
} from '@daycare/messaging';
import { eventually } from '@daycare/testing';
import { startStack, type Stack, type StackOptions } from './stack';

const ignore = (): void => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Receives everything that is sent to users, in place of their agents. */
export interface Listener {
  /** The messages, each once, in the order in which they first arrived. */
  readonly received: readonly SystemMessage[];
  /** How many messages have arrived, redeliveries included. */
  readonly deliveries: () => number;
  /** The messages that one user or subuser received from another. */
  readonly between: (senderId: string, recipientId: string) => readonly SystemMessage[];
  /** The messages that a user or subuser received from anyone. */
  readonly receivedBy: (recipientId: string) => readonly SystemMessage[];
  /** Rejects all arriving messages, so that they wait in NATS, until the returned function is called. */
  readonly hold: () => () => void;
  /** Resolves when everything accepted so far has been received and acknowledged. */
  readonly settled: (timeoutMs?: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a listener in place of agent-runtime, which must not be running. Stop the listener before the stack. */
export async function startListener(stack: Stack): Promise<Listener> {
  const nats = await connectNats({
    url: stack.natsUrlOf('agent-runtime'),
    name: 'agent-runtime',
    logger,
  });
  const stream = defineSystemStream({ prefix: stack.natsPrefix, duplicateWindowMs: 500 });
  const received = new Map<string, SystemMessage>();
  const lanes = new Map<string, SystemMessage[]>();
  let deliveries = 0;
  let isHeld = false;
  const consumer = consumeSystemMessages({
    observer: {},
    connection: nats.connection,
    stream,
    group: 'agents',
    logger,
    handler: oneByOne(
      async (message) => {
        deliveries += 1;
        if (isHeld) throw new AppError('UNAVAILABLE', 'not now');
        if (received.has(message.id)) return;
        received.set(message.id, message);
        lanes.set(message.lane, [...(lanes.get(message.lane) ?? []), message]);
      },
      {
        findHandled: async (ids) => new Set(ids.flatMap(({ id }) => (received.has(id) ? id : []))),
      },
    ),
    retry: { firstMs: 500, maxMs: 2_000 },
    deadLetter: async () => undefined,
  });
  // Closings are only acknowledged, because no inbox here contains messages that they could end.
  const closings = consumeSystemMessages({
    observer: {},
    connection: nats.connection,
    stream,
    group: inboxService,
    logger,
    handler: oneByOne(async () => undefined),
    deadLetter: async () => undefined,
  });
  return {
    get received() {
      return [...received.values()];
    },
    deliveries: () => deliveries,
    between: (senderId, recipientId) => lanes.get(`${senderId}>${recipientId}`) ?? [],
    receivedBy: (recipientId) =>
      [...received.values()].filter(({ recipient }) => recipient?.userId === recipientId),
    hold() {
      isHeld = true;
      return () => void (isHeld = false);
    },
    async settled(timeoutMs = 60_000) {
      await eventually(async () => (await countUndelivered(stack)) === 0, { timeoutMs });
    },
    async stop() {
      await consumer.stop();
      await closings.stop();
      await nats.close();
    },
  };
}

/** Counts the friend messages, and the ties with notices, that are waiting for a receipt. */
export async function countUndelivered({ db }: Pick<Stack, 'db'>): Promise<number> {
  const graph = db('social-graph');
  const counts = await Promise.all([
    graph.collection('outbox').countDocuments({ open: true }),
    graph.collection('ties').countDocuments({ dueAt: { $exists: true } }),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A stack without agent-runtime, and a listener in its place. */
export interface ListeningStack extends Stack {
  readonly listener: Listener;
}

/** Starts identity, social-graph (by default two replicas) and a listener. */
export async function startListeningStack(options: StackOptions = {}): Promise<ListeningStack> {
  const stack = await startStack({
    services: ['identity', 'social-graph'],
    replicas: { 'social-graph': 2 },
    timeoutMs: 5_000,
    ...options,
  });
  const listener = await startListener(stack);
  const stopServices = stack.stop;
  return Object.assign(stack, {
    listener,
    async stop() {
      await listener.stop();
      await stopServices();
    },
  });
}
