import { TopologyServiceService } from '@daycare/contracts/topology';
import { ChangeHints, connectNats } from '@daycare/messaging';
import { createRpcClient, startRpcServer, type RpcClient } from '@daycare/rpc';
import { testNatsUrl, uniqueName } from '@daycare/testing';
import { topologyHandler, type TopologyUsecases } from '../rpc/topology-handler';
import { makeGetTopology, type TopologyPage } from '../usecases/get-topology';
import { StreamCount } from '../usecases/stream-count';
import {
  makeWatchTopology,
  type WatchTopologyCall,
  type WatchTopologyDeps,
} from '../usecases/watch-topology';
import { listed, testWiring } from './test-facts';
import { startTestOwners } from './test-owners';
import { makeWorld, owner, type WorldSize } from './test-world';

export const mostStreams = 3;

/** Views of a world in which one thing can be changed, watched with hints over the real NATS. */
export interface TestWatch {
  /** Changes what is seen, without telling anybody. Returns the pattern that is seen from now on. */
  readonly change: () => string;
  readonly hint: () => void;
  /** How many views were composed so far. */
  readonly composed: () => number;
  readonly watch: (call?: Partial<WatchTopologyCall>) => AsyncGenerator<TopologyPage>;
  readonly stopService: () => void;
  /** Serves it; the client reads as the test does. */
  readonly serve: () => Promise<RpcClient<typeof TopologyServiceService>>;
  readonly close: () => Promise<void>;
}

const nothing = (): void => undefined;

export async function openTestWatch(
  size: WorldSize,
  timing: Pick<WatchTopologyDeps, 'pollMs' | 'gatherMs'>,
): Promise<TestWatch> {
  const { owners, close } = await startTestOwners(makeWorld(size).handlers);
  const log = { info: nothing, warn: nothing, error: nothing };
  const nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: log });
  const hints = new ChangeHints(nats.connection, uniqueName('watch'));
  const stopping = new AbortController();
  const closers = [close, () => nats.close()];
  let [changes, composed] = [0, 0];
  const compose = makeGetTopology({
    owners,
    listWiring: async () => testWiring({ subscriptions: listed([subscriptionOf(changes)]) }),
    now: () => new Date(),
    reportDown: nothing,
  });
  const watchTopology = makeWatchTopology({
    ...timing,
    getTopology: (call) => {
      composed += 1;
      return compose(call);
    },
    listen: (userId, listener) => hints.watch(userId, listener),
    streams: new StreamCount(mostStreams),
    stopping: stopping.signal,
  });
  return {
    change: () => subscriptionOf((changes += 1)).pattern,
    hint: () => hints.tell([owner.userId]),
    composed: () => composed,
    watch: (call = {}) => watchTopology({ ...anyCall(), ...call }),
    stopService: () => stopping.abort(),
    async serve() {
      const usecases = { watchTopology, urlOf: () => '' } as unknown as TopologyUsecases;
      const server = await startServer(usecases);
      const client = createRpcClient(TopologyServiceService, server);
      closers.push(
        () => server.drain(0),
        async () => client.close(),
      );
      return client;
    },
    async close() {
      for (const each of closers.reverse()) await each();
    },
  };
}

export function patternsOf({ view }: TopologyPage): string[] {
  return view.subscriptions.entries.map(({ pattern }) => pattern);
}

function subscriptionOf(changes: number) {
  const ids = { id: 's1', userId: owner.userId, agentId: 'u1a0' };
  return { ...ids, pattern: `change:${changes}`, silent: true, createdAt: new Date(0) };
}

function anyCall(): WatchTopologyCall {
  return {
    viewer: owner,
    afterRevision: '',
    pageSize: 0,
    includeDead: false,
    signal: new AbortController().signal,
    recheck: async () => undefined,
  };
}

function startServer(usecases: TopologyUsecases) {
  return startRpcServer({
    listen: '127.0.0.1:0',
    services: [topologyHandler(usecases)],
    pipeline: {
      authenticate: () => ({ kind: 'user', ...owner }),
      limit: nothing,
      observe: nothing,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      defaultTimeoutMs: 5_000,
    },
  });
}
