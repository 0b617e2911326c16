import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { SystemStream } from '@daycare/messaging';
import type { ServiceKit } from '@daycare/service-kit';
import type { Config } from '../config';
import type { Stores } from '../store/open-stores';
import type { RouteMailbox } from '../usecases/route-mailbox';
import type { TellAgent } from '../usecases/tell-agent';
import { AgentScheduler } from './agent-scheduler';
import { LeaseKeeper } from './lease-keeper';
import type { LiveFeed } from './live-feed';
import type { ModelProvider } from './model-provider';
import { showRuntime } from './runtime-metrics';
import { makeSettle } from './settle-work';

export interface RuntimeParts {
  readonly stores: Stores;
  readonly feed: LiveFeed;
  readonly stream: SystemStream;
  readonly provider: ModelProvider;
  readonly tellAgent: TellAgent;
  readonly routeMailbox: RouteMailbox;
  readonly now: () => Date;
}

export type RuntimeConfig = Pick<Config, 'emergencyContextLimit' | 'maxTurns' | 'leaseTtlMs'>;

const pollMs = 1_000;
const leaveTimeoutMs = 500;
const sweepMailboxesMs = 5_000;
const mailboxesAtOnce = 100;

/**
 * Starts running agents: takes this replica's share of the shards, serves them, and gives them back
 * when the service stops. Turns that do not end in time are taken up again by whoever comes next.
 */
export async function startRuntime(
  config: RuntimeConfig,
  parts: RuntimeParts,
  kit: ServiceKit,
): Promise<void> {
  const { stores, feed, stream, provider, now } = parts;
  const { log, stop } = kit;
  const holder = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const limits = { emergencyContextLimit: config.emergencyContextLimit };
  const timing = { maxTurns: config.maxTurns, pollMs, leaveTimeoutMs };
  const settle = makeSettle({ ...stores, tellAgent: parts.tellAgent, now });
  const common = { ...stores, feed, provider, settle, limits, now, log, holder };
  const scheduler = new AgentScheduler({ ...common, ...timing });
  const observer = showRuntime(stores, scheduler, kit);
  const keeper = new LeaseKeeper({
    store: stores.shards,
    replicaId: holder,
    shardCount: stream.shards,
    ttlMs: config.leaseTtlMs,
    renewEveryMs: config.leaseTtlMs / 3,
    releaseTimeoutMs: 2 * leaveTimeoutMs,
    log,
    observer,
    hint: feed,
    onGained: (lease) => scheduler.serve(lease),
    onReleasing: (lease) => scheduler.leave(lease),
    onLost: (lease) => scheduler.drop(lease),
  });
  const sweep = setInterval(() => {
    sweepMailboxes(parts, scheduler).catch((err: unknown) =>
      log.warn({ err }, 'cannot look into the mailboxes; trying on'),
    );
  }, sweepMailboxesMs);
  await stores.shards.ensure(stream.shards);
  keeper.start();
  stop.add('release', 'shards', async () => {
    clearInterval(sweep);
    await keeper.stop();
    scheduler.stop();
  });
}

/** Whoever made a user's first agent may have died before it had emptied the mailbox. */
async function sweepMailboxes(
  { stores, routeMailbox }: RuntimeParts,
  scheduler: AgentScheduler,
): Promise<void> {
  const users = await stores.mailbox.usersToServe(scheduler.servedShards, mailboxesAtOnce);
  for (const userId of users) await routeMailbox(userId);
}
