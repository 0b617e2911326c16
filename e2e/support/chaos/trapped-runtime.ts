import type { Db } from 'mongodb';
import { nanos } from 'nats';
import {
  connectNats,
  defineSystemStream,
  durableNameOf,
  incarnationOf,
  streamNameOf,
  type NatsHandle,
} from '@daycare/messaging';
import { eventually, type TestStack } from '@daycare/testing';
import { countUndelivered } from '../stack/listener';
import { agentServices, type Stack } from '../stack/stack';
import { whenShardsServed, ShardTable } from './shard-table';
import {
  startTrappedServices,
  type TrappedServices,
  type TrappedStack,
  type Traps,
} from './trapped-service';
import { unroutedMail, waitingItems } from '../stack/inbox-filters';

/** Identity, social-graph, and one process of agent-runtime that can be killed at an exact step. */
export interface TrappedRuntime extends TrappedStack {
  readonly shards: ShardTable;
  /** Resolves when everything accepted so far has been handled and cannot be delivered again. */
  readonly settled: (timeoutMs?: number) => Promise<void>;
}

/** The group of system messages that agent-runtime delivers to agents. */
const group = 'agents';
const ignore = (): void => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Long leases: tests expire them explicitly, and a replica on a busy machine must not lose them. */
const steadyLeases = { DAYCARE_LEASE_TTL_MS: '30000' } as const;

export async function startTrappedRuntime(
  env: Readonly<Record<string, string>> = {},
): Promise<TrappedRuntime> {
  const { traps, ...trapped } = await startTrappedAgents(['agent-runtime'], env);
  return { ...trapped, ...traps['agent-runtime'] };
}

/** Starts identity, social-graph and agent-runtime, of which the named ones can be killed at an exact step. */
export async function startTrappedAgents<N extends (typeof agentServices)[number]>(
  names: readonly N[],
  env: Readonly<Record<string, string>> = {},
): Promise<TrappedServices<N> & Omit<TrappedRuntime, keyof Traps>> {
  const options = { services: agentServices, env: { ...steadyLeases, ...env } };
  const { stack, traps, stop } = await startTrappedServices(names, options);
  const nats = await connectNats({
    url: stack.natsUrlOf('agent-runtime'),
    name: 'agent-runtime',
    logger,
  });
  const shards = new ShardTable(stack.db('agent-runtime'), nats.connection, stack.natsPrefix);
  await whenShardsServed(stack);
  const expire = () => Promise.all([shards.expire(), expireDeliveries(stack, nats)]);
  const entries = names.map((name) => [
    name,
    name === 'agent-runtime' ? withStepWhileDead(traps[name], expire) : traps[name],
  ]);
  return {
    stack,
    shards,
    traps: Object.fromEntries(entries) as Record<N, Traps>,
    async settled(timeoutMs = 60_000) {
      await eventually(() => expectNothingInFlight(stack, nats), { timeoutMs });
    },
    async stop() {
      await nats.close();
      await stop();
    },
  };
}

/** Returns the same traps with an additional step between the service's death and its restart. */
function withStepWhileDead(traps: Traps, step: () => Promise<unknown>): Traps {
  const afterStep = (whileDead?: () => Promise<void>) => async (): Promise<void> => {
    await step();
    await whileDead?.();
  };
  return {
    ...traps,
    dieAt: (point, act, whileDead) => traps.dieAt(point, act, afterStep(whileDead)),
    dieAtAll: (crashes, whileDead) => traps.dieAtAll(crashes, afterStep(whileDead)),
  };
}

/**
 * Throws while any message is in flight; checks the stores in the order in which messages pass through them.
 */
async function expectNothingInFlight(stack: Stack, nats: NatsHandle): Promise<true> {
  const db = stack.db('agent-runtime');
  const counters: Readonly<Record<string, () => Promise<number>>> = {
    'social-graph': () => countUndelivered(stack),
    outbox: () => db.collection('outbox').countDocuments({ open: true }),
    stream: () => countStream(stack, nats),
    'unrouted mail': () => countRoutable(db),
    inboxes: () => db.collection('inbox').countDocuments(waitingItems),
  };
  for (const [store, count] of Object.entries(counters)) {
    const remaining = await count();
    if (remaining > 0) throw new Error(`${remaining} in ${store}`);
  }
  return true;
}

async function countStream({ natsPrefix: prefix }: TestStack, nats: NatsHandle): Promise<number> {
  const { streams } = await nats.connection.jetstreamManager();
  return (await streams.info(streamNameOf(defineSystemStream({ prefix }), group))).state.messages;
}

/** Makes NATS immediately redeliver the messages that a killed replica had not acknowledged. */
async function expireDeliveries(
  { natsPrefix: prefix }: TestStack,
  nats: NatsHandle,
): Promise<void> {
  const { streams, consumers } = await nats.connection.jetstreamManager();
  const name = streamNameOf(defineSystemStream({ prefix }), group);
  const durable = durableNameOf(group, incarnationOf((await streams.info(name)).config));
  const { config } = await consumers.info(name, durable);
  await consumers.update(name, durable, { ...config, ack_wait: nanos(1) });
}

/** Counts the messages that are still waiting for a first foreground agent although their user has one. */
async function countRoutable(db: Db): Promise<number> {
  const userId = { $in: await db.collection('agents').distinct('userId', { foreground: true }) };
  return db.collection('inbox').countDocuments({ userId, ...unroutedMail });
}
