import { computed, signal } from '@preact/signals';
import { TopologyFormat, type Topology } from '@daycare/contracts/topology';
import { daycare } from './client';
import type { LiveContext } from './windows/live-context';
import type { SharedStream } from './windows/share-live';
import { mergePages } from './paging/merge-pages';

/** Everything that I own or can reach; undefined until received. Updated with every change. */
export const topology = signal<Topology | undefined>(undefined);

/** The person's own entry in the topology. */
export const self = computed(() => topology.value?.self);

const pageSize = 1_000;

async function followTopology(live: LiveContext): Promise<void> {
  const after = topology.peek()?.revision ?? '';
  for await (const view of daycare.watch.topology({ ...live, after, pageSize })) {
    live.onReceived();
    if (view.topology)
      topology.value = await withRemainingPages(view.topology, view.nextPageToken, live);
  }
}

/**
 * Reads the remaining pages of a view that is too large for one page. If the view changes in the meantime, the stream
 * sends a new view with pages of its own.
 */
async function withRemainingPages(
  first: Topology,
  token: string,
  live: LiveContext,
): Promise<Topology> {
  let [whole, pageToken] = [first, token];
  const format = TopologyFormat.STRUCTURE;
  while (pageToken !== '') {
    const request = { pageSize, pageToken, includeDead: false, format };
    const page = await daycare.rpc.topology.getTopology(request, { signal: live.signal });
    if (page.topology) whole = mergePages(whole, page.topology);
    pageToken = page.nextPageToken;
  }
  return whole;
}

export const topologyStream: SharedStream = {
  name: 'topology',
  follow: followTopology,
  received: topology,
};
