import { createId } from '@paralleldrive/cuid2';
import { AgentRuntimeServiceService, type HistoryRecord } from '@daycare/contracts/agent-runtime';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import {
  eventually,
  startTestStack,
  type TestService,
  type TestStack,
  type TestStackOptions,
} from '@daycare/testing';
import { People, type Person } from './people';

export type Runtime = RpcClient<typeof AgentRuntimeServiceService>;

/** Identity, social-graph and replicas of agent-runtime. */
export interface AgentStack {
  readonly stack: TestStack;
  readonly people: People;
  /** A client for each replica. */
  readonly runtimes: readonly Runtime[];
  readonly replica: (index: number) => TestService;
  /** The database of agent-runtime. */
  readonly db: MongoConnection['db'];
  readonly stop: () => Promise<void>;
}

const unlimited = '1000000';

/** No limits in the way, and no long wait for what got lost. */
export const agentEnv: NodeJS.ProcessEnv = {
  DAYCARE_REPUBLISH_AFTER_MS: '1000',
  DAYCARE_RATE_BURST: unlimited,
  DAYCARE_RATE_PER_SECOND: unlimited,
  DAYCARE_FRIEND_REQUESTS_PER_HOUR: unlimited,
  DAYCARE_FRIEND_REQUESTS_PENDING: unlimited,
};

export interface AgentStackOptions extends Pick<TestStackOptions, 'ownServers' | 'env' | 'envOf'> {
  /** More than those that every story needs. */
  readonly services?: TestStackOptions['services'];
  /** Of agent-runtime. */
  readonly replicas?: number;
}

export async function startAgentStack(
  options: AgentStackOptions = {},
  timeoutMs = 10_000,
): Promise<AgentStack> {
  const { replicas = 1, ...rest } = options;
  const stack = await startTestStack({
    services: ['identity', 'social-graph', 'agent-runtime'],
    replicas: { 'agent-runtime': replicas },
    ...rest,
    env: { ...agentEnv, ...options.env },
  });
  return openAgentStack(stack, replicas, timeoutMs);
}

/** The services run already; they stop when this does. */
export async function openAgentStack(
  stack: TestStack,
  replicas: number,
  timeoutMs: number,
): Promise<AgentStack> {
  const mongo = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf('agent-runtime'),
    appName: 'daycare-test',
  });
  const people = new People(stack);
  const runtimes = Array.from({ length: replicas }, (_, index) =>
    createRpcClient(AgentRuntimeServiceService, {
      address: stack.addressOf('agent-runtime', index),
      timeoutMs,
    }),
  );
  return {
    stack,
    people,
    runtimes,
    replica: (index) => stack.service('agent-runtime', index),
    db: mongo.db,
    async stop() {
      for (const client of [...runtimes, people]) client.close();
      await mongo.close();
      await stack.stop();
    },
  };
}

/** A message of a person through the channel of that name. */
export function post(text: string, channelId = 'desk', requestId = createId()) {
  return {
    requestId,
    connector: 'cli',
    channelId,
    connectorUserId: 'me',
    text,
    fileIds: [],
    replyTarget: '',
  };
}

/** The whole history of an agent. */
export async function historyOf(
  runtime: Runtime,
  { as }: Pick<Person, 'as'>,
  agentId: string,
): Promise<HistoryRecord[]> {
  const records: HistoryRecord[] = [];
  let pageToken = '';
  do {
    const request = { agentId, pageSize: 1_000, pageToken, afterSequence: 0, newestFirst: false };
    const page = await runtime.listHistory(request, as);
    records.push(...page.records);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return records;
}

/** A record in a few words: its kind, where it came from and what it says. */
export function summaryOf({ record }: HistoryRecord): string {
  switch (record?.$case) {
    case 'userMessage': {
      const { origin, silent, text } = record.value;
      return `${origin || 'person'}${silent ? ' (silent)' : ''}: ${text}`;
    }
    case 'assistantMessage':
      return `agent: ${record.value.text}`;
    case 'reset':
      return `reset${record.value.emergency ? ' (emergency)' : ''}: ${record.value.message}`;
    case 'note':
      return `note: ${record.value.text}`;
    case 'start':
    case 'toolResult':
    case undefined:
      return record?.$case ?? 'nothing';
  }
}

/** Resolves with the history once it has so many records. */
export async function whenRecorded(
  runtime: Runtime,
  person: Pick<Person, 'as'>,
  agentId: string,
  count: number,
  timeoutMs = 20_000,
): Promise<HistoryRecord[]> {
  return eventually(
    async () => {
      const records = await historyOf(runtime, person, agentId);
      return records.length >= count ? records : undefined;
    },
    { timeoutMs },
  );
}
