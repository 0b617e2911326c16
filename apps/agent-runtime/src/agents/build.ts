import { createId } from '@daycare/api/create-id';
import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import { withChangeHint, type DeletedUserStore, type UserDataStore } from '@daycare/service-kit';
import type { Agent } from './domain/agent';
import type { AgentLimits } from './domain/agent-limits';
import { agentIndexes } from './store/agent-document';
import { AgentStore } from './store/agent-store';
import { endingIndexes, EndingStore } from './store/ending-store';
import { FeedStore } from './store/feed-store';
import { historyIndexes, HistoryStore } from './store/history-store';
import { OutlineStore } from './store/outline-store';
import { pastUsageIndexes, UsageStore } from './store/usage-store';
import { makeConfigureAgent, type ConfigureDeps } from './usecases/configure-agent';
import { makeCreateAgent } from './usecases/create-agent';
import {
  makeDescribeAgents,
  type CountInboxItems,
  type CurrentModels,
  type ListPermissions,
} from './usecases/describe-agents';
import {
  makeEnsureAgent,
  makeFindOrCreateAgent,
  withMail,
  type Directory,
} from './usecases/ensure-agent';
import { makeExportAgent } from './usecases/export-agent';
import { makeForgetUser, type ForgetUserDeps } from './usecases/forget-user';
import { makeGetAgent } from './usecases/get-agent';
import { makeListAgents } from './usecases/list-agents';
import { makeListHistory } from './usecases/list-history';
import { makeOwnerOf } from './usecases/owner-of';
import { makeRankForeground } from './usecases/rank-foreground';
import { makeWatchAgent, type WatchDeps } from './usecases/watch-agent';

export const agentsIndexes: readonly CollectionIndexes[] = [
  agentIndexes,
  endingIndexes,
  historyIndexes,
  pastUsageIndexes,
];

export interface AgentsDeps {
  readonly db: Db;
  readonly deletedUsers: DeletedUserStore;
  readonly directory: Directory;
  /** Returns the models that agents currently use. */
  readonly currentModels: CurrentModels;
  readonly shardOf: (userId: string) => number;
  readonly countInboxItems: CountInboxItems;
  readonly listPermissions: ListPermissions;
  /** Delivers the messages that were waiting for the user's first foreground agent. */
  readonly routeMailbox: (userId: string) => Promise<void>;
  readonly hintAgentCreated: (agent: Agent) => void;
  readonly hintUser: (userId: string) => void;
  /** Subscribes to an agent's live events. */
  readonly listen: WatchDeps['listen'];
  readonly onInterrupt: WatchDeps['onInterrupt'];
  readonly isConnected: WatchDeps['isConnected'];
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Returns the stores of all features that contain data of users. */
  readonly userDataStores: ForgetUserDeps['userDataStores'];
  readonly sleepAfterMs: number;
  readonly limits: AgentLimits;
  readonly checkToolPolicy: ConfigureDeps['checkToolPolicy'];
  readonly now: () => Date;
}

export type Agents = ReturnType<typeof buildAgents>;

const watchPollMs = 2_000;

/** Agents and their histories. */
export function buildAgents(deps: AgentsDeps) {
  const { db, deletedUsers, directory, sleepAfterMs, now } = deps;
  const store = new AgentStore(db, deps.limits);
  const history = new HistoryStore(db);
  const usage = new UsageStore(db);
  const rankForeground = makeRankForeground({ agents: store, history, sleepAfterMs, now });
  const describeAgents = makeDescribeAgents({
    history,
    countInboxItems: deps.countInboxItems,
    listPermissions: deps.listPermissions,
    currentModels: deps.currentModels,
    sleepAfterMs,
    now,
  });
  const findOrCreateWithoutMail = withChangeHint(
    makeFindOrCreateAgent({
      agents: store,
      deletedUsers,
      history,
      directory,
      shardOf: deps.shardOf,
      newId: createId,
      now,
    }),
    ({ agent, created }) => created && deps.hintAgentCreated(agent),
  );
  const findOrCreateAgent = withMail(findOrCreateWithoutMail, deps.routeMailbox);
  const userDataStores: readonly UserDataStore[] = [archiveUsage(usage, history)];
  return {
    store,
    history,
    feeds: new FeedStore(db),
    endings: new EndingStore(db),
    outlines: new OutlineStore(db),
    usage,
    userDataStores,
    ownerOf: makeOwnerOf(directory),
    rankForeground,
    describeAgents,
    findOrCreateAgent,
    /** Does not route the mailbox; callers do that themselves after storing an item. */
    findOrCreateWithoutMail,
    ensureAgent: makeEnsureAgent(findOrCreateAgent),
    createAgent: makeCreateAgent({ agents: store, findOrCreateAgent }),
    configureAgent: withChangeHint(
      makeConfigureAgent({ agents: store, checkToolPolicy: deps.checkToolPolicy, now }),
      ({ userId }) => deps.hintUser(userId),
    ),
    forgetUser: makeForgetUser({
      agents: store,
      deletedUsers,
      userDataStores: deps.userDataStores,
      now,
    }),
    renameGateway: withChangeHint(
      (userId: string, name: string, at: Date) => store.renameGateway(userId, name, at),
      (_done, userId) => deps.hintUser(userId),
    ),
    getAgent: makeGetAgent({ agents: store, rankForeground, describeAgents }),
    listAgents: makeListAgents({ agents: store, directory, describeAgents }),
    listHistory: makeListHistory({ agents: store, history }),
    exportAgent: makeExportAgent({ agents: store, history, describeAgents }),
    watchAgent: makeWatchAgent({
      agents: store,
      history,
      listen: deps.listen,
      onInterrupt: deps.onInterrupt,
      isConnected: deps.isConnected,
      pollMs: watchPollMs,
      stopping: deps.stopping,
    }),
  };
}

/** A deleted subuser's usage still counts towards its owner's, so it is summed up before the history is deleted. */
function archiveUsage(usage: UsageStore, history: HistoryStore): UserDataStore {
  return {
    async deleteByUser(userId) {
      await usage.archiveByUser(userId);
      await history.deleteByUser(userId);
    },
  };
}
