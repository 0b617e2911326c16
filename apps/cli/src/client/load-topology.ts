import type { Topology } from '@daycare/contracts/topology';
import type { Session } from './session';

const pageSize = 1_000;

/** The whole view: sections that have more than one page are put together. */
export async function loadTopology(
  client: Session['topology'],
  includeDead: boolean,
): Promise<{ topology: Topology | undefined; text: string }> {
  const first = await client.getTopology({ pageSize, pageToken: '', includeDead });
  let { topology, nextPageToken: pageToken } = first;
  while (pageToken !== '') {
    const next = await client.getTopology({ pageSize, pageToken, includeDead });
    topology = topology && next.topology && joinPages(topology, next.topology);
    pageToken = next.nextPageToken;
  }
  return { topology, text: first.text };
}

/** The sections of both pages; everything else is as the first page has it. */
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
