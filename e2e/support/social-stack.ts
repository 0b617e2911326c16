import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { AppError, type ErrorCode } from '@daycare/errors';
import { connectMongo, type MongoConnection } from '@daycare/mongo';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import {
  eventually,
  startTestStack,
  type TestService,
  type TestStack,
  type TestStackOptions,
} from '@daycare/testing';
import { startListener, type Listener } from './listener';
import { People } from './people';

export type Graph = RpcClient<typeof SocialGraphServiceService>;
export type Replica = 0 | 1;

/** What a test needs around social-graph, whatever runs it. */
export interface Surroundings {
  readonly people: People;
  readonly listener: Listener;
  /** The database of social-graph. */
  readonly db: MongoConnection['db'];
  /** Resolves when everything accepted so far has been heard and receipted. */
  readonly settled: (timeoutMs?: number) => Promise<void>;
}

/** Identity, two replicas of social-graph and somebody who listens. */
export interface SocialStack extends Surroundings {
  readonly stack: TestStack;
  readonly graphs: readonly [Graph, Graph];
  readonly replica: (replica: Replica) => TestService;
  readonly stop: () => Promise<void>;
}

const unlimited = '1000000';

/** No limits in the way, and no long wait for what got lost. */
export const socialEnv: NodeJS.ProcessEnv = {
  DAYCARE_REPUBLISH_AFTER_MS: '1000',
  DAYCARE_RATE_BURST: unlimited,
  DAYCARE_RATE_PER_SECOND: unlimited,
  DAYCARE_FRIEND_REQUESTS_PER_HOUR: unlimited,
  DAYCARE_FRIEND_REQUESTS_PENDING: unlimited,
};

export async function startSocialStack(
  options: Pick<TestStackOptions, 'ownServers' | 'env'> = {},
  timeoutMs = 5_000,
): Promise<SocialStack> {
  const stack = await startTestStack({
    services: ['identity', 'social-graph'],
    replicas: { 'social-graph': 2 },
    ...options,
    env: { ...socialEnv, ...options.env },
  });
  const { close, ...surroundings } = await openSurroundings(stack);
  const connect = (replica: Replica): Graph =>
    createRpcClient(SocialGraphServiceService, {
      address: stack.addressOf('social-graph', replica),
      timeoutMs,
    });
  const graphs = [connect(0), connect(1)] as const;
  return {
    ...surroundings,
    stack,
    graphs,
    replica: (replica) => stack.service('social-graph', replica),
    async stop() {
      for (const graph of graphs) graph.close();
      await close();
      await stack.stop();
    },
  };
}

/** Close it before the stack stops. */
export async function openSurroundings(
  stack: TestStack,
): Promise<Surroundings & { readonly close: () => Promise<void> }> {
  const mongo = await connectMongo({
    url: stack.mongoUrl,
    database: stack.databaseOf('social-graph'),
    appName: 'daycare-test',
  });
  const people = new People(stack);
  const listener = await startListener(stack);
  return {
    people,
    listener,
    db: mongo.db,
    async settled(timeoutMs = 20_000) {
      const outbox = mongo.db.collection('outbox');
      await eventually(async () => (await outbox.countDocuments()) === 0, { timeoutMs });
    },
    async close() {
      await listener.close();
      people.close();
      await mongo.close();
    },
  };
}

/** After these nobody knows whether the call took place. */
const inDoubtCodes: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
]);

export const isInDoubt = (error: unknown): boolean =>
  error instanceof AppError && inDoubtCodes.has(error.code);

/** Repeats a call, which must carry the same request id each time, until it has been answered. */
export async function untilAnswered<T>(
  call: (attempt: number) => Promise<T>,
  timeoutMs = 20_000,
): Promise<T> {
  let attempt = 0;
  const answer = await eventually(
    async (): Promise<{ value: T } | { error: unknown } | undefined> => {
      try {
        return { value: await call(attempt++) };
      } catch (error) {
        return isInDoubt(error) ? undefined : { error };
      }
    },
    { timeoutMs },
  );
  if ('error' in answer) throw answer.error;
  return answer.value;
}
