import { createId } from '@daycare/api/create-id';
import { Registry } from 'prom-client';
import { connectNats, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, testNatsUrl, uniqueName } from '@daycare/testing';
import type { Agent } from '../agents/domain/agent';
import type { HistoryRecord } from '../agents/domain/context/history-record';
import type { HistoryEntry } from '../agents/domain/history-entry';
import type { Descriptor } from '../agents/domain/descriptor/descriptor';
import type { Directory } from '../agents/usecases/ensure-agent';
import type { InboxItem } from '../messaging/domain/inbox-item';
import type { GuestTurns } from '../turns/loop/allowed-work';
import type { AgentScheduler } from '../turns/loop/agent-scheduler';
import { buildLoop } from '../turns/build-loop';
import { LiveFeed } from '../messaging/events/live-feed';
import type { ModelProvider } from '../models/providers/model-provider';
import type { ModelChooser } from '../models/usecases/choose-model';
import { PermissionStore } from '../permissions/store/permission-store';
import { makeExpireTurnRequests } from '../permissions/usecases/expire-turn-requests';
import { makeSettle } from '../turns/loop/settle-work';
import { FairSemaphore } from '../shared/concurrency/fair-semaphore';
import { imageSlots, type LoadImages } from '../turns/context/with-images';
import type { TurnLimits } from '../turns/loop/take-turn';
import { AgentStore } from '../agents/store/agent-store';
import { DeadLetterStore } from '../messaging/store/dead-letter-store';
import { HistoryStore } from '../agents/store/history-store';
import { InboxStore } from '../messaging/store/inbox-store';
import { MailboxStore } from '../messaging/store/mailbox-store';
import { TiedMessageStore } from '../messaging/store/tied-message-store';
import type { PlacedItem } from '../messaging/domain/placed-item';
import { OutlineStore } from '../agents/store/outline-store';
import { UsageStore } from '../agents/store/usage-store';
import { buildSpending, type Spending } from '../spending/build';
import type { SpendingConfig } from '../spending/spending-config';
import { chooserOf } from './model/test-chooser';
import { TestLease } from './leases/test-lease';
import { makeAgent, newChannel } from './test-agent';
import { testRegistry } from './test-tool';
import type { ToolRegistry } from '../tools/registry/tool-registry';
import { indexes } from '../indexes';
import { wakeByShard } from '../messaging/events/wake-by-shard';
import {
  makePlaceItems,
  type NotifyAgents,
  type PlaceItems,
} from '../messaging/usecases/inbox/place-items';
import {
  makeDeliverToAgent,
  type DeliverToAgent,
} from '../messaging/usecases/delivery/deliver-to-agent';
import { makeEndAgent, type EndAgent } from '../messaging/usecases/control/end-agent';
import { makeNotifySender } from '../messaging/usecases/delivery/notify-sender';
import type { EndRun } from '../agents';
import { EndingStore } from '../agents/store/ending-store';

export { TestLease };

const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const now = (): Date => new Date();

export interface SpendingOptions extends Partial<SpendingConfig> {
  readonly now?: () => Date;
}

/** An item for one agent. */
interface AgentItem extends Omit<PlacedItem, 'recipients'> {
  readonly agent: Agent;
}

/** The stores on a real MongoDB and NATS, and any number of replicas that run agents on them. */
export interface TestRuntime {
  readonly mongo: MongoConnection;
  readonly agents: AgentStore;
  readonly inbox: InboxStore;
  readonly mailbox: MailboxStore;
  readonly tiedMessages: TiedMessageStore;
  readonly outlines: OutlineStore;
  readonly history: HistoryStore;
  readonly deadLetters: DeadLetterStore;
  readonly endings: EndingStore;
  readonly outbox: OutboxStore;
  readonly deliverToAgent: DeliverToAgent;
  readonly endAgent: EndAgent;
  readonly notify: NotifyAgents;
  readonly placeItems: PlaceItems;
  /** Places items for one agent each. */
  readonly putItems: (items: readonly AgentItem[]) => ReturnType<PlaceItems>;
  /** Sends a person's messages to an agent, in this order. */
  readonly say: (agent: Agent, ...texts: readonly string[]) => Promise<void>;
  /** Returns the records of an agent's history. */
  readonly recordsOf: (agent: Agent) => Promise<HistoryRecord[]>;
  /** Returns the text of each record of an agent's history, or its kind if it has no text. */
  readonly textsOf: (agent: Agent) => Promise<string[]>;
  readonly feed: LiveFeed;
  /** Creates another replica, which uses this provider. */
  readonly replica: (
    holder: string,
    provider: ModelProvider,
    overrides?: { readonly meter?: Spending['meter']; readonly models?: ModelChooser },
  ) => AgentScheduler;
  readonly directory: Directory;
  readonly usage: UsageStore;
  /** The spending that replicas use by default. */
  readonly spending: Spending;
  /** Creates spending as another replica would, with its own caches. */
  readonly newSpending: (options?: SpendingOptions) => Spending;
  readonly newAgent: (
    descriptor?: Descriptor,
    userId?: string,
    ownerUserId?: string,
  ) => Promise<Agent>;
  readonly close: () => Promise<void>;
}

export interface TestRuntimeOptions {
  readonly emergencyContextLimit?: number;
  /** The window of every model, in tokens. */
  readonly window?: number;
  readonly limits?: Partial<TurnLimits>;
  readonly tools?: ToolRegistry;
  readonly toolRetryMs?: number;
  /** Loads no images by default. */
  readonly loadImages?: LoadImages;
  /** Limits the turns that guests start; unlimited by default. */
  readonly guestTurns?: GuestTurns;
  /** How many turns a replica runs at the same time, in total and per user. */
  readonly slots?: { readonly maxTurns: number; readonly maxTurnsPerUser: number };
  /** How often inboxes are polled. */
  readonly pollMs?: number;
  /** How long a replica that gives up a shard waits for its running turns. */
  readonly drainTimeoutMs?: number;
  /** The clock of the replicas. */
  readonly now?: () => Date;
  /** Called when a turn that a schedule started has ended; does nothing by default. */
  readonly endRun?: EndRun;
}

const defaultLimits: TurnLimits = {
  maxToolIterations: 25,
  maxToolCallsPerAnswer: 32,
  maxToolCallsPerTurn: 200,
  maxTurnMs: 30 * 60_000,
  maxWaitMs: 6 * 60 * 60_000,
};

export async function startTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const mongo = await testDatabase('runtime');
  const { db } = mongo;
  await ensureIndexes(db, indexes);
  const nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: silent });
  const feed = new LiveFeed(nats.connection, uniqueName('test'));
  const stores = {
    agents: new AgentStore(db),
    outlines: new OutlineStore(db),
    inbox: new InboxStore(db),
    mailbox: new MailboxStore(db),
    tiedMessages: new TiedMessageStore(db),
    history: new HistoryStore(db),
    deadLetters: new DeadLetterStore(db),
    endings: new EndingStore(db),
  };
  const notify: NotifyAgents = (reached) =>
    wakeByShard(reached, (shard, ids) => feed.wake(shard, ids));
  const placeItems = makePlaceItems({ ...stores, notify });
  const outbox = new OutboxStore(db, 'agent-runtime');
  const deliverToAgent = makeDeliverToAgent({ ...stores, outbox, placeItems, now });
  const permissions = new PermissionStore(db);
  const expireTurnRequests = makeExpireTurnRequests({ permissions, hintReaders: nothing, now });
  const hasPending = ({ id }: Pick<Agent, 'id'>): Promise<boolean> =>
    permissions.hasPending(id, now());
  const endAgent = makeEndAgent({
    ...stores,
    outbox,
    notifySender: makeNotifySender(deliverToAgent),
    interruptAgent: (agentId) => feed.interrupt([agentId]),
    hintUser: nothing,
    now,
  });
  const endRun = options.endRun ?? (async () => undefined);
  const settle = makeSettle({
    ...stores,
    deliverToAgent,
    expireTurnRequests,
    hasPending,
    endAgent,
    endRun,
    now,
  });
  const { emergencyContextLimit = 200_000, window: contextWindow = 200_000 } = options;
  const parents = new Map<string, string | undefined>();
  const findById: Directory['findById'] = async (userId) =>
    parents.has(userId) ? { userId, parentUserId: parents.get(userId) } : undefined;
  const newSpending = ({ now: clock = now, ...config }: SpendingOptions = {}): Spending =>
    buildSpending({
      db,
      agents: stores.agents,
      usage: new UsageStore(db),
      directory: { findById },
      rankForeground: (userId) => stores.agents.listForeground(userId),
      deliverToAgent,
      addedPrice: () => undefined,
      knownPrice: (model) =>
        model === 'local/echo' ? { input: 0, output: 0, cachedInput: 0 } : undefined,
      modelLabel: (model) => model,
      config: { prices: new Map(), currency: 'USD', answerTokens: 100, ...config },
      kit: { log: silent, metrics: { registry: new Registry() } },
      now: clock,
    });
  const spending = newSpending();
  const replicas: AgentScheduler[] = [];
  const putItems: TestRuntime['putItems'] = (items) =>
    placeItems(items.map(({ agent, ...rest }) => ({ ...rest, recipients: [agent] })));
  const recordsOf: TestRuntime['recordsOf'] = (agent) =>
    stores.history.listRecords(agent, { after: 0, limit: 1_000 });
  return {
    mongo,
    ...stores,
    notify,
    placeItems,
    putItems,
    async say(agent, ...texts) {
      for (const text of texts) await putItems([{ agent, item: personMessage(agent, text) }]);
    },
    recordsOf,
    textsOf: async (agent) =>
      (await recordsOf(agent)).map((record) => ('text' in record ? record.text : record.kind)),
    outbox,
    deliverToAgent,
    endAgent,
    feed,
    newSpending,
    spending,
    directory: { findById },
    usage: new UsageStore(db),
    replica(
      holder,
      provider,
      { meter = spending.meter, models = chooserOf(provider, contextWindow) } = {},
    ) {
      const scheduler = buildLoop({
        ...stores,
        feed,
        hintUser: nothing,
        observeEntry: nothing,
        settle,
        models,
        tools: options.tools ?? testRegistry([]),
        toolRetryMs: options.toolRetryMs,
        promptFor: async () => ({ text: '', tokens: 0 }),
        situationFor: async () => '',
        loadImages: options.loadImages ?? (async () => new Map()),
        imageSlots: new FairSemaphore(imageSlots.total, imageSlots.perOwner),
        meter,
        holder,
        now: options.now ?? now,
        log: silent,
        limits: {
          emergencyContextLimit,
          compactAt: 0.8,
          maxOutputTokens: 0,
          maxToolTokens: 4_000,
          ...defaultLimits,
          ...options.limits,
        },
        guestTurns: options.guestTurns ?? { take: async () => undefined },
        maxTurns: 16,
        maxTurnsPerUser: 16,
        ...options.slots,
        pollMs: options.pollMs ?? 50,
        stopTimeoutMs: 500,
        drainTimeoutMs: options.drainTimeoutMs ?? 500,
      });
      replicas.push(scheduler);
      return scheduler;
    },
    newAgent: (descriptor = newChannel(), userId = createId(), ownerUserId?) => {
      parents.set(userId, ownerUserId);
      return makeAgent(stores, descriptor, userId, ownerUserId);
    },
    async close() {
      for (const replica of replicas) replica.stop();
      await nats.close();
      await mongo.close();
    },
  };
}

/** Reads an agent's stored history. */
export function entriesOf({ mongo }: TestRuntime, { id }: Agent): Promise<HistoryEntry[]> {
  const history = mongo.db.collection<HistoryEntry>('history');
  return history.find({ agentId: id }).sort({ number: 1 }).toArray();
}

/** A person's message to an agent. */
export function personMessage(
  agent: Agent,
  text: string,
  messageId = createId(),
): Extract<InboxItem, { kind: 'message' }> {
  const common = { agentId: agent.id, userId: agent.userId, messageId, acceptedAt: now() };
  return { kind: 'message', ...common, text, files: [], replyTarget: '' };
}

let nextFence = 1;

/** Returns a lease with a higher fence than all leases that were returned before. */
export const nextLease = (shard = 0): TestLease => new TestLease(nextFence++, shard);

interface ReplicaOptions extends Exclude<Parameters<TestRuntime['replica']>[2], undefined> {
  readonly holder?: string;
  readonly lease?: TestLease;
}

/** Serves agents in another replica, by default with a new lease. */
export async function serveReplica(
  runtime: TestRuntime,
  provider: ModelProvider,
  { lease = nextLease(), holder = `r${lease.fence}`, ...overrides }: ReplicaOptions = {},
): Promise<{ readonly lease: TestLease; readonly stopServing: () => Promise<void> }> {
  const replica = runtime.replica(holder, provider, overrides);
  await replica.serve(lease);
  return { lease, stopServing: () => replica.stopServing(lease) };
}

/** Serves agents in another replica, by default with a new lease; returns a function that stops it. */
export async function serveNext(
  runtime: TestRuntime,
  provider: ModelProvider,
  overrides: ReplicaOptions = {},
): Promise<() => Promise<void>> {
  const { stopServing } = await serveReplica(runtime, provider, overrides);
  return stopServing;
}
