import { nanos } from 'nats';
import { connectMongo } from '@daycare/mongo';
import { connectNats, defineSystemStream, type NatsHandle } from '@daycare/messaging';
import { eventually, type TestStack } from '@daycare/testing';
import { AgentCast } from './agent-cast';
import { agentEnv, openAgentStack, type AgentStack, type Runtime } from './agent-stack';
import { seeShardsServed, ShardTable } from './shard-table';
import { startTrappedService, type Traps } from './trapped-service';

/** Identity, social-graph, and one process of agent-runtime that dies exactly where it is told to. */
export interface TrappedRuntime extends AgentStack, Traps {
  readonly cast: AgentCast;
  readonly runtime: Runtime;
  readonly shards: ShardTable;
  /** Resolves when everything accepted so far has been handled, and nothing of it can come again. */
  readonly settled: (timeoutMs?: number) => Promise<void>;
}

/** What agent-runtime hears system messages by. */
const durable = 'agents';
const nothing = (): void => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export async function startTrappedRuntime(): Promise<TrappedRuntime> {
  const { stack, stepsOf, dieAt } = await startTrappedService('agent-runtime', {
    services: ['identity', 'social-graph', 'agent-runtime'],
    // Nobody waits for their end, and a crowded machine does not lose them.
    env: { ...agentEnv, DAYCARE_LEASE_TTL_MS: '30000' },
  });
  const agents = await openAgentStack(stack, 1, 10_000);
  const cast = await AgentCast.open(agents);
  const nats = await connectNats({ url: stack.natsUrl, name: 'test', logger });
  const flow = await openFlow(agents, nats);
  const shards = new ShardTable(agents.db, nats.connection, stack.natsPrefix);
  await seeShardsServed(stack);
  return {
    ...agents,
    cast,
    runtime: cast.runtime,
    shards,
    stepsOf,
    dieAt: (point, act, whileDead) =>
      dieAt(point, act, async () => {
        await Promise.all([shards.expire(), expireDeliveries(stack, nats)]);
        await whileDead?.();
      }),
    async settled(timeoutMs = 30_000) {
      await eventually(flow.seeEmpty, { timeoutMs });
    },
    async stop() {
      cast.close();
      await flow.close();
      await nats.close();
      await agents.stop();
    },
  };
}

interface Flow {
  /** Throws while there is anything anywhere. */
  readonly seeEmpty: () => Promise<true>;
  readonly close: () => Promise<void>;
}

/** Everything that a message lies in on its way, in the order in which it comes there. */
async function openFlow({ stack, db }: AgentStack, nats: NatsHandle): Promise<Flow> {
  const social = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf('social-graph'),
    appName: 'daycare-test',
  });
  const places: Readonly<Record<string, () => Promise<number>>> = {
    'outbox of social-graph': () => social.db.collection('outbox').countDocuments(),
    outbox: () => db.collection('outbox').countDocuments(),
    stream: () => countStream(stack, nats),
    mailboxes: () => countOpen(db),
    inboxes: () => db.collection('inbox').countDocuments({ waiting: true }),
  };
  return {
    async seeEmpty() {
      for (const [place, count] of Object.entries(places)) {
        const left = await count();
        if (left > 0) throw new Error(`${left} in ${place}`);
      }
      return true;
    },
    close: () => social.close(),
  };
}

async function countStream({ natsPrefix: prefix }: TestStack, nats: NatsHandle): Promise<number> {
  const { streams } = await nats.connection.jetstreamManager();
  return (await streams.info(defineSystemStream({ prefix }).name)).state.messages;
}

/** Makes it later: what a replica that has died had in hand goes to the next one. */
async function expireDeliveries(
  { natsPrefix: prefix }: TestStack,
  nats: NatsHandle,
): Promise<void> {
  const { consumers } = await nats.connection.jetstreamManager();
  const { name } = defineSystemStream({ prefix });
  const { config } = await consumers.info(name, durable);
  await consumers.update(name, durable, { ...config, ack_wait: nanos(1) });
}

/** What somebody is there to hear. */
async function countOpen(db: AgentStack['db']): Promise<number> {
  const userId = { $in: await db.collection('agents').distinct('userId', { foreground: true }) };
  return db.collection('mailboxes').countDocuments({ userId, open: true });
}
