import type { SystemMessage } from '@daycare/contracts/common';
import { AppError } from '@daycare/errors';
import {
  connectNats,
  consumeSystemMessages,
  defineSystemStream,
  subjectsOfShard,
} from '@daycare/messaging';
import type { TestStack } from '@daycare/testing';

const nothing = (): void => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Hears everything users are sent, as their agents would: what comes twice is heard once. */
export interface Listener {
  /** In the order it was heard first. */
  readonly heard: readonly SystemMessage[];
  /** How often anything arrived, repetitions included. */
  readonly deliveries: () => number;
  /** What one user, or subuser, heard from another. */
  readonly between: (senderId: string, recipientId: string) => readonly SystemMessage[];
  /** Gives back what arrives, so that it waits in NATS, until the returned function is called. */
  readonly hold: () => () => void;
  readonly close: () => Promise<void>;
}

/** Starts listening in place of agent-runtime. Close it before the stack stops. */
export async function startListener(stack: TestStack): Promise<Listener> {
  const nats = await connectNats({ url: stack.natsUrl, name: 'listener', logger });
  const stream = defineSystemStream({ prefix: stack.natsPrefix, duplicateWindowMs: 500 });
  const heard = new Map<string, SystemMessage>();
  const lanes = new Map<string, SystemMessage[]>();
  let deliveries = 0;
  let isHeld = false;
  const consumer = consumeSystemMessages({
    connection: nats.connection,
    stream,
    durable: 'agents',
    filterSubjects: Array.from({ length: stream.shards }, (_, shard) =>
      subjectsOfShard(stream, shard),
    ),
    logger,
    handle: async (message) => {
      deliveries += 1;
      if (isHeld) throw new AppError('UNAVAILABLE', 'not now');
      if (heard.has(message.id)) return;
      heard.set(message.id, message);
      lanes.set(message.lane, [...(lanes.get(message.lane) ?? []), message]);
    },
    deadLetter: async () => undefined,
  });
  return {
    get heard() {
      return [...heard.values()];
    },
    deliveries: () => deliveries,
    between: (senderId, recipientId) => lanes.get(`${senderId}>${recipientId}`) ?? [],
    hold() {
      isHeld = true;
      return () => void (isHeld = false);
    },
    async close() {
      await consumer.stop();
      await nats.close();
    },
  };
}
