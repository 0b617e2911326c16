import { TopologyFormat, type Topology } from '@daycare/contracts/topology';
import type { Session } from './session';

const pageSize = 1_000;

/** Loads the topology as text with a single call, whatever its size. */
export async function loadTopologyText(
  client: Pick<Session['topology'], 'getTopology'>,
  includeDead: boolean,
): Promise<string> {
  const request = { pageSize, pageToken: '', includeDead, format: TopologyFormat.TEXT };
  return (await client.getTopology(request)).text;
}

/** Loads the whole topology as a structure, joining the pages of each section. */
export async function loadTopology(
  client: Pick<Session['topology'], 'getTopology'>,
  includeDead: boolean,
): Promise<Topology | undefined> {
  const request = { pageSize, includeDead, format: TopologyFormat.STRUCTURE };
  let { topology, nextPageToken: pageToken } = await client.getTopology({
    ...request,
    pageToken: '',
  });
  while (pageToken !== '') {
    const next = await client.getTopology({ ...request, pageToken });
    topology = topology && next.topology && joinPages(topology, next.topology);
    pageToken = next.nextPageToken;
  }
  return topology;
}

/** Joins the lists in each section of two pages; takes everything else from the first page. */
export function joinPages(first: Topology, second: Topology): Topology {
  const joined = Object.entries(first).map(([name, section]) => [
    name,
    joinSections(section, second[name as keyof Topology]),
  ]);
  return Object.fromEntries(joined) as Topology;
}

function joinSections(first: unknown, second: unknown): unknown {
  if (!isSection(first) || !isSection(second)) return first;
  const lists = Object.entries(first).map(([name, value]) => [
    name,
    Array.isArray(value) ? (value as unknown[]).concat(second[name]) : value,
  ]);
  return Object.fromEntries(lists) as unknown;
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && 'status' in value && 'count' in value;
}
