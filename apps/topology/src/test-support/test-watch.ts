import { TopologyServiceService } from '@daycare/contracts/topology';
import { ChangeHints, connectNats } from '@daycare/messaging';
import { createRpcClient, startRpcServer, type RpcClient } from '@daycare/rpc';
import { testNatsUrl, uniqueName } from '@daycare/testing';
import { topologyHandler, type TopologyUsecases } from '../rpc/topology-handler';
import { makeGetTopology, type TopologyPage } from '../usecases/view/get-topology';
import {
  makeWatchTopology,
  type WatchTopologyCall,
  type WatchTopologyDeps,
} from '../usecases/view/watch-topology';
import { listed, testWiring } from './test-facts';
import { viewCacheDeps } from './test-view-cache';
import { startTestSources } from './test-sources';
import { makeWorld, owner, type WorldSize } from './test-world';

/** Watches a test world with one subscription, whose pattern `change` replaces; hints use a real NATS. */
export interface TestWatch {
  /** Changes the view without sending a hint. Returns the pattern that it shows from now on. */
  readonly change: () => string;
  readonly hint: () => void;
  /** How many views have been composed so far. */
  readonly composed: () => number;
  readonly watch: (call?: Partial<WatchTopologyCall>) => AsyncGenerator<TopologyPage>;
  readonly stopService: () => void;
  /** Serves WatchTopology over gRPC and returns a client. */
  readonly serve: () => Promise<RpcClient<typeof TopologyServiceService>>;
  readonly close: () => Promise<void>;
}

const doNothing = (): void => undefined;

export async function openTestWatch(
  size: WorldSize,
  timing: Pick<WatchTopologyDeps, 'pollMs' | 'gatherMs'>,
): Promise<TestWatch> {
  const { sources, close } = await startTestSources(makeWorld(size).handlers);
  const log = { info: doNothing, warn: doNothing, error: doNothing };
  const nats = await connectNats({ url: testNatsUrl(), name: 'test', logger: log });
  const hints = new ChangeHints(nats.connection, uniqueName('watch'));
  const stopping = new AbortController();
  const closers = [close, () => nats.close()];
  let [changeCount, composedCount] = [0, 0];
  const compose = makeGetTopology({
    sources,
    listWiring: async () =>
      testWiring({
        subscriptions: listed([subscriptionOf(changeCount)]),
        digest: `${changeCount}`,
      }),
    ...viewCacheDeps(),
    now: () => new Date(),
    reportUnavailable: doNothing,
  });
  const watchTopology = makeWatchTopology({
    ...timing,
    getTopology: (call) => {
      composedCount += 1;
      return compose(call);
    },
    listen: (userId, listener) => hints.watch(userId, listener),
    stopping: stopping.signal,
  });
  return {
    change: () => subscriptionOf((changeCount += 1)).pattern,
    hint: () => hints.publish([owner.userId]),
    composed: () => composedCount,
    watch: (call = {}) => watchTopology({ ...anyCall(), ...call }),
    stopService: () => stopping.abort(),
    async serve() {
      const usecases = {
        views: { watchTopology },
        endpoints: { urlOf: () => '' },
      } as unknown as TopologyUsecases;
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
  return view!.subscriptions.entries.map(({ pattern }) => pattern);
}

function subscriptionOf(changeCount: number) {
  const { userId } = owner;
  const ids = { id: 's1', userId, ownerUserId: userId, agentId: 'u1a0' };
  return { ...ids, pattern: `change:${changeCount}`, silent: true, createdAt: new Date(0) };
}

function anyCall(): WatchTopologyCall {
  return {
    viewer: owner,
    afterRevision: '',
    pageSize: 0,
    includeDead: false,
    format: undefined,
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
      limit: doNothing,
      observe: doNothing,
      log: { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing },
      defaultTimeoutMs: 5_000,
    },
  });
}
