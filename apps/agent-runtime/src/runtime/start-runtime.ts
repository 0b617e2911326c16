import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { SystemStream } from '@daycare/messaging';
import { repeat, type ServiceKit } from '@daycare/service-kit';
import type { Config } from '../config';
import type { Stores } from '../store/open-stores';
import type { RouteMailbox } from '../usecases/route-mailbox';
import type { TellAgent } from '../usecases/tell-agent';
import { AgentScheduler } from './agent-scheduler';
import { ScheduleRunner, type ScheduleRunnerParts } from './schedule-runner';
import { LeaseKeeper } from './lease-keeper';
import type { LiveFeed } from './live-feed';
import type { TurnParts } from './take-turn';
import { showRuntime } from './runtime-metrics';
import { makeSettle } from './settle-work';

export interface RuntimeParts {
  readonly stores: Stores;
  readonly feed: LiveFeed;
  readonly stream: SystemStream;
  readonly turns: Pick<TurnParts, 'providerOf' | 'tools' | 'promptFor'>;
  readonly tellAgent: TellAgent;
  readonly routeMailbox: RouteMailbox;
  readonly firing: Pick<ScheduleRunnerParts, 'fireCron' | 'fireHeartbeats' | 'scheduleNow'>;
  readonly now: () => Date;
}

export type RuntimeConfig = Pick<
  Config,
  'emergencyContextLimit' | 'maxToolIterations' | 'maxTurns' | 'maxTurnsPerUser' | 'leaseTtlMs'
>;

const pollMs = 1_000;
const leaveTimeoutMs = 500;
const sweepMailboxesMs = 10_000;
const recentlyMs = 60_000;

/**
 * Starts running agents: takes this replica's share of the shards, serves them, and gives them back
 * when the service stops. Turns that do not end in time are taken up again by whoever comes next.
 */
export async function startRuntime(
  config: RuntimeConfig,
  parts: RuntimeParts,
  kit: ServiceKit,
): Promise<void> {
  const { stores, feed, stream, turns, now } = parts;
  const { log, stop } = kit;
  const holder = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const { emergencyContextLimit, maxToolIterations, maxTurns, maxTurnsPerUser } = config;
  const limits = { emergencyContextLimit, maxToolIterations };
  const timing = { maxTurns, maxTurnsPerUser, pollMs, leaveTimeoutMs };
  const settle = makeSettle({ ...stores, tellAgent: parts.tellAgent, now });
  const common = { ...stores, feed, ...turns, settle, limits, now, log, holder };
  const scheduler = new AgentScheduler({ ...common, ...timing });
  const observer = showRuntime(stores, scheduler, kit);
  const servedShards = (): readonly number[] => scheduler.servedShards;
  const schedules = new ScheduleRunner({ ...stores, ...parts.firing, servedShards, pollMs, log });
  const keeper = new LeaseKeeper({
    store: stores.shards,
    replicaId: holder,
    shardCount: stream.shards,
    ttlMs: config.leaseTtlMs,
    renewEveryMs: config.leaseTtlMs / 6,
    releaseTimeoutMs: 2 * leaveTimeoutMs,
    log,
    observer,
    hint: feed,
    onGained: async (lease) => {
      await scheduler.serve(lease);
      schedules.look();
    },
    onReleasing: (lease) => scheduler.leave(lease),
    onLost: (lease) => scheduler.drop(lease),
  });
  repeat('look into the mailboxes', sweepMailboxesMs, () => sweepMailboxes(parts, scheduler), kit);
  await stores.shards.ensure(stream.shards);
  keeper.start();
  stop.add('release', 'shards', async () => {
    await Promise.all([keeper.stop(), schedules.stop()]);
    scheduler.stop();
  });
}

/** Whoever made a user's first agent may have died before it had emptied the mailbox. */
async function sweepMailboxes(
  { stores, routeMailbox, now }: RuntimeParts,
  scheduler: AgentScheduler,
): Promise<void> {
  const since = new Date(now().getTime() - recentlyMs);
  const shards = scheduler.servedShards;
  const users = await stores.agents.listUsersWithNewForeground(shards, since);
  if (users.length === 0) return;
  for (const userId of await stores.mailbox.usersWithOpen(users)) await routeMailbox(userId);
}
