import type { TopologyView } from '../domain/view/topology-view';
import {
  makeGetTopology,
  type GetTopologyCall,
  type TopologyPage,
} from '../usecases/view/get-topology';
import { testWiring } from './test-facts';
import { viewCacheDeps } from './test-view-cache';
import { startTestSources, type SourceHandlers, type TestSources } from './test-sources';
import {
  makeWorld,
  owner,
  type ReceivedRequests,
  type WorldSize,
  type WorldState,
} from './test-world';

export interface TestViews {
  readonly servers: TestSources;
  readonly received: ReceivedRequests;
  readonly state: WorldState;
  /** The services that were reported as unavailable. */
  readonly reported: string[];
  readonly getPage: (call?: Partial<GetTopologyCall>) => Promise<TopologyPage>;
  /** Like `getPage`, for calls whose page has a view: all but those that request only the text. */
  readonly get: (call?: Partial<GetTopologyCall>) => Promise<PageWithView>;
  /** The memory used by cached views. */
  readonly cachedBytes: () => number;
}

export interface PageWithView extends TopologyPage {
  readonly view: TopologyView;
}

export interface TestViewsOptions {
  readonly change?: (handlers: SourceHandlers) => SourceHandlers;
  readonly digests?: { friends: string; scope: string };
  readonly maxBytes?: number;
}

/** Opens views of a test world that real servers serve; close `servers` afterwards. */
export async function openTestViews(
  size: WorldSize,
  {
    change = (same) => same,
    digests = { friends: '', scope: '' },
    maxBytes,
  }: TestViewsOptions = {},
): Promise<TestViews> {
  const { handlers, received, state } = makeWorld(size, digests);
  const servers = await startTestSources(change(handlers));
  const reported: string[] = [];
  const cacheDeps = viewCacheDeps(maxBytes);
  const getTopology = makeGetTopology({
    sources: servers.sources,
    listWiring: async () => testWiring(),
    ...cacheDeps,
    now: () => new Date(),
    reportUnavailable: (service) => reported.push(service),
  });
  const getPage = (call: Partial<GetTopologyCall> = {}): Promise<TopologyPage> =>
    getTopology({
      viewer: owner,
      pageSize: 0,
      pageToken: '',
      includeDead: false,
      format: undefined,
      deadline: Date.now() + 5_000,
      signal: new AbortController().signal,
      ...call,
    });
  const get = async (call: Partial<GetTopologyCall> = {}): Promise<PageWithView> => {
    const page = await getPage(call);
    return { ...page, view: page.view! };
  };
  return {
    servers,
    received,
    state,
    reported,
    getPage,
    get,
    cachedBytes: () => cacheDeps.viewCache.bytes,
  };
}
