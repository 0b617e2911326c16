import { createId } from '@paralleldrive/cuid2';
import { connectNats, outboxIndexes, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase, testNatsUrl, uniqueName } from '@daycare/testing';
import type { Agent } from '../domain/agent';
import { firstEntry } from '../domain/agent-state';
import type { Descriptor } from '../domain/descriptor';
import { isForeground, keyOf } from '../domain/descriptor-kinds';
import type { InboxItem } from '../domain/inbox-item';
import { AgentScheduler } from '../runtime/agent-scheduler';
import type { Lease } from '../runtime/lease';
import { LiveFeed } from '../runtime/live-feed';
import type { ModelProvider } from '../runtime/model-provider';
import { makeSettle } from '../runtime/settle-work';
import { AgentStore } from '../store/agent-store';
import { DeadLetterStore } from '../store/dead-letter-store';
import { HistoryStore } from '../store/history-store';
import { InboxStore } from '../store/inbox-store';
import { MailboxStore } from '../store/mailbox-store';
import { OutlineStore } from '../store/outline-store';
import { indexes } from '../store/open-stores';
import { ToolRegistry } from '../tools/tool-registry';
import { makePutItems, type PutItems } from '../usecases/put-items';
import { makeTellAgent } from '../usecases/tell-agent';

const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const now = (): Date => new Date();

/** A lease that lasts until it is ended. */
export class TestLease implements Lease {
  #isOver = false;

  constructor(
    readonly fence: number,
    readonly shard = 0,
  ) {}

  isValid(): boolean {
    return !this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }
}

/** The stores and the runtime on a real MongoDB and NATS, with any number of replicas. */
export interface TestRuntime {
  readonly mongo: MongoConnection;
  readonly agents: AgentStore;
  readonly inbox: InboxStore;
  readonly outlines: OutlineStore;
  readonly history: HistoryStore;
  readonly mailbox: MailboxStore;
  readonly deadLetters: DeadLetterStore;
  readonly putItems: PutItems;
  /** Another replica, which asks this provider. */
  readonly replica: (holder: string, provider: ModelProvider) => AgentScheduler;
  readonly newAgent: (descriptor?: Descriptor, userId?: string) => Promise<Agent>;
  readonly close: () => Promise<void>;
}

export async function startTestRuntime(
  options: { readonly emergencyContextLimit?: number; readonly tools?: ToolRegistry } = {},
): Promise<TestRuntime> {
  const mongo = await testDatabase('runtime');
  const { db } = mongo;
  await ensureIndexes(db, [...indexes, ...outboxIndexes]);
  const nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: silent });
  const feed = new LiveFeed(nats.connection, uniqueName('test'));
  const stores = {
    agents: new AgentStore(db),
    outlines: new OutlineStore(db),
    inbox: new InboxStore(db),
    history: new HistoryStore(db),
    mailbox: new MailboxStore(db),
    deadLetters: new DeadLetterStore(db),
  };
  const putItems = makePutItems({ ...stores, wake: (shard, ids) => feed.wake(shard, ids) });
  const outbox = new OutboxStore(db, 'agent-runtime');
  const tellAgent = makeTellAgent({ ...stores, outbox, putItems, wakeOutbox: nothing, now });
  const settle = makeSettle({ ...stores, tellAgent, now });
  const { emergencyContextLimit = 200_000 } = options;
  const replicas: AgentScheduler[] = [];
  return {
    mongo,
    ...stores,
    putItems,
    replica(holder, provider) {
      const scheduler = new AgentScheduler({
        ...stores,
        feed,
        settle,
        providerOf: () => provider,
        tools: options.tools ?? new ToolRegistry([]),
        promptFor: async () => '',
        holder,
        now,
        log: silent,
        limits: { emergencyContextLimit, maxToolIterations: 25 },
        maxTurns: 16,
        maxTurnsPerUser: 16,
        pollMs: 50,
        leaveTimeoutMs: 500,
      });
      replicas.push(scheduler);
      return scheduler;
    },
    newAgent: (descriptor = channel(), userId = createId()) =>
      makeAgent(stores, descriptor, userId),
    async close() {
      for (const replica of replicas) replica.stop();
      await nats.close();
      await mongo.close();
    },
  };
}

const channel = (): Descriptor => ({
  kind: 'user',
  connector: 'cli',
  connectorUserId: 'me',
  channelId: createId(),
});

async function makeAgent(
  { agents, history }: Pick<TestRuntime, 'agents' | 'history'>,
  descriptor: Descriptor,
  userId: string,
): Promise<Agent> {
  const draft: Agent = {
    id: createId(),
    userId,
    ownerUserId: undefined,
    kind: descriptor.kind,
    descriptor,
    foreground: isForeground(descriptor.kind),
    shard: 0,
    provider: 'local',
    model: 'echo',
    createdAt: now(),
    lastActiveAt: now(),
    lastUserActivityAt: undefined,
    diedAt: undefined,
  };
  const { agent } = await agents.ensure(draft, keyOf(descriptor));
  await history.append(firstEntry(agent, now()));
  return agent;
}

/** A person's words to an agent. */
export function words(agent: Agent, text: string, messageId = createId()): InboxItem {
  const common = { agentId: agent.id, userId: agent.userId, messageId, acceptedAt: now() };
  return { kind: 'message', ...common, text, files: [], replyTarget: '' };
}
