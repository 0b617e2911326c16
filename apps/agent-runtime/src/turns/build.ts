import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import { repeat, type ServiceKit } from '@daycare/service-kit';
import type { AgentReader, AgentWriter, EndRun, HistoryReader, HistoryWriter } from '../agents';
import type {
  DeadLetterWriter,
  DeliverToAgent,
  EndAgent,
  InboxReader,
  InboxWriter,
  LiveFeed,
  MailboxReader,
  RouteMailbox,
} from '../messaging';
import type { ModelChooser } from '../models';
import { FairSemaphore } from '../shared/concurrency/fair-semaphore';
import type { SkillCatalog } from '../skills';
import type { MeterCalls } from '../spending';
import type { ToolRegistry } from '../tools';
import type { ContextLimits } from './domain/context/request-limits';
import { imageSlots, type LoadImages } from './context/with-images';
import { LeaseKeeper } from './leases/lease-keeper';
import type { AgentScheduler } from './loop/agent-scheduler';
import { buildLoop } from './build-loop';
import { countTurns } from './turn-metrics';
import { registerRuntimeMetrics } from './runtime-metrics';
import { makeSettle, type SettleDeps } from './loop/settle-work';
import type { TurnLimits } from './loop/take-turn';
import { makeSweepMailboxes } from './usecases/sweep-mailboxes';
import { RecentSkills } from './prompts/recent-skills';
import { makeSituationFor, type SituationDeps } from './prompts/situation';
import { makePromptFor } from './prompts/system-prompt';
import { guestTurnIndexes, GuestTurnStore } from './store/guest-turn-store';
import { leaseIndexes, ShardStore } from './store/shard-store';
import { makeOperateShards } from './usecases/operate-shards';

export const turnsIndexes: readonly CollectionIndexes[] = [guestTurnIndexes, leaseIndexes];

export interface TurnsDeps {
  readonly db: Db;
  readonly agents: AgentReader & Pick<AgentWriter, 'setWaiting' | 'touch'>;
  readonly history: HistoryReader & HistoryWriter;
  readonly inbox: InboxReader & InboxWriter;
  readonly mailbox: MailboxReader;
  readonly deadLetters: DeadLetterWriter;
  readonly deliverToAgent: DeliverToAgent;
  /** Ends the pending permission requests of a turn that was stopped. */
  readonly expireTurnRequests: SettleDeps['expireTurnRequests'];
  readonly hasPending: SettleDeps['hasPending'];
  readonly endAgent: EndAgent;
  readonly endRun: EndRun;
  readonly routeMailbox: RouteMailbox;
  readonly models: ModelChooser;
  readonly tools: Pick<ToolRegistry, 'answer' | 'has' | 'isReadOnly' | 'isShared' | 'offer'>;
  /** Loads image files in the form in which they are sent to models. */
  readonly loadImages: LoadImages;
  readonly meter: MeterCalls;
  readonly skills: SkillCatalog;
  readonly feed: LiveFeed;
  /** Notifies the watchers of the user's agents. */
  readonly hintUser: (userId: string) => void;
  readonly shardCount: number;
  readonly leaseTtlMs: number;
  /** The time within which the service must stop. */
  readonly shutdownTimeoutMs: number;
  /** Returns a user's profile; undefined when it is currently unavailable. */
  readonly profileOf: SituationDeps['profileOf'];
  readonly contextLimits: ContextLimits;
  readonly turnLimits: TurnLimits;
  /** How many turns guests and outsiders may start per hour, for each owner. */
  readonly guestTurnsPerHour: number;
  readonly maxTurns: number;
  readonly maxTurnsPerUser: number;
  readonly kit: ServiceKit;
  readonly now: () => Date;
}

export interface StartTurnsOptions {
  /** Called each time this replica starts serving another shard. */
  readonly onShardGained: () => void;
}

const pollMs = 1_000;
/** The part of the shutdown time that is reserved for everything but turns. */
const stopReserveMs = 2_000;
const minStopMs = 500;
/** How long to wait for a shard's turns before moving the shard to another replica; after that, it stays here. */
const drainTimeoutMs = 60_000;
const sweepMailboxesMs = 10_000;

/** Builds the loop that runs agents: shards, leases and turns. */
export function buildTurns(deps: TurnsDeps) {
  const shards = new ShardStore(deps.db);
  const holder = deps.kit.status.replicaId;
  const guestTurns = new GuestTurnStore(deps.db, deps.guestTurnsPerHour);
  const scheduler = buildScheduler(deps, holder, guestTurns);
  const returnUnused = (): Promise<void> =>
    guestTurns
      .returnUnused()
      .catch((err: unknown) =>
        deps.kit.log.warn(
          { err },
          "cannot return unused permits for guests' turns; they are lost for this hour",
        ),
      );
  return {
    userDataStores: [guestTurns] as const,
    servedShards: (): readonly number[] => scheduler.servedShards,
    operate: makeOperateShards({ shards, inbox: deps.inbox, agents: deps.agents, now: deps.now }),
    /**
     * Takes this replica's share of the shards, serves them, and releases them when the service stops:
     * idle ones immediately, others when their turns have ended. Turns that do not end in time are resumed
     * by the next replica that serves their shard.
     */
    async start({ onShardGained }: StartTurnsOptions): Promise<void> {
      const { agents, mailbox, routeMailbox, shardCount, kit, now } = deps;
      const keeper = buildLeaseKeeper(deps, {
        shards,
        holder,
        scheduler,
        returnUnused,
        onShardGained,
      });
      const sweepMailboxes = makeSweepMailboxes({
        agents,
        mailbox,
        routeMailbox,
        servedShards: () => scheduler.servedShards,
        now,
      });
      repeat('sweep mailboxes', sweepMailboxesMs, sweepMailboxes, kit);
      await shards.ensure(shardCount);
      keeper.start();
      kit.stop.add('release', 'shards', async () => {
        await keeper.stop();
        scheduler.stop();
        await returnUnused();
      });
    },
  };
}

function buildScheduler(
  deps: TurnsDeps,
  holder: string,
  guestTurns: GuestTurnStore,
): AgentScheduler {
  const { agents, history, inbox, deadLetters, deliverToAgent, endAgent, now } = deps;
  const skills = new RecentSkills(deps.skills);
  return buildLoop({
    guestTurns,
    agents,
    history,
    inbox,
    feed: deps.feed,
    hintUser: deps.hintUser,
    observeEntry: countTurns({
      metrics: deps.kit.metrics,
      isTool: (name) => deps.tools.has(name),
    }),
    models: deps.models,
    tools: skills.watch(deps.tools),
    promptFor: makePromptFor({ skills }),
    situationFor: makeSituationFor({
      profileOf: deps.profileOf,
      isShared: (agent) => deps.tools.isShared(agent),
      now,
    }),
    loadImages: deps.loadImages,
    imageSlots: new FairSemaphore(imageSlots.total, imageSlots.perOwner),
    meter: deps.meter,
    settle: makeSettle({
      inbox,
      deadLetters,
      deliverToAgent,
      expireTurnRequests: deps.expireTurnRequests,
      hasPending: deps.hasPending,
      endAgent,
      endRun: deps.endRun,
      now,
    }),
    limits: { ...deps.contextLimits, ...deps.turnLimits },
    maxTurns: deps.maxTurns,
    maxTurnsPerUser: deps.maxTurnsPerUser,
    pollMs,
    stopTimeoutMs: stopTimeoutOf(deps),
    drainTimeoutMs,
    holder,
    log: deps.kit.log,
    now,
  });
}

function stopTimeoutOf({ shutdownTimeoutMs }: Pick<TurnsDeps, 'shutdownTimeoutMs'>): number {
  return Math.max(minStopMs, shutdownTimeoutMs - stopReserveMs);
}

interface KeeperDeps extends StartTurnsOptions {
  readonly shards: ShardStore;
  readonly holder: string;
  readonly scheduler: AgentScheduler;
  /** Returns unused permits for guests' turns; if this replica needs more later, it takes new ones. */
  readonly returnUnused: () => Promise<void>;
}

function buildLeaseKeeper(
  { inbox, feed, shardCount, leaseTtlMs, shutdownTimeoutMs, kit }: TurnsDeps,
  { shards, holder, scheduler, returnUnused, onShardGained }: KeeperDeps,
): LeaseKeeper {
  return new LeaseKeeper({
    store: shards,
    replicaId: holder,
    shardCount,
    ttlMs: leaseTtlMs,
    renewEveryMs: Math.min(1_000, leaseTtlMs / 3),
    releaseTimeoutMs: stopTimeoutOf({ shutdownTimeoutMs }) + minStopMs,
    drainTimeoutMs: drainTimeoutMs + minStopMs,
    countTurns: (lease) => scheduler.countTurns(lease),
    log: kit.log,
    observer: registerRuntimeMetrics({ inbox }, scheduler, kit),
    hint: feed,
    onGained: async (lease) => {
      await scheduler.serve(lease);
      onShardGained();
    },
    onReleasing: (lease, isStopping) =>
      isStopping ? scheduler.stopServing(lease) : scheduler.tryStopServing(lease),
    onLost: (lease) => {
      scheduler.drop(lease);
      void returnUnused();
    },
  });
}
