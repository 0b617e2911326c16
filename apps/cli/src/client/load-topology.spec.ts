import { describe, expect, it } from '@jest/globals';
import {
  TopologyFormat,
  type GetTopologyRequest,
  type GetTopologyResponse,
} from '@daycare/contracts/topology';
import { loadTopology, loadTopologyText } from './load-topology';

/** Returns a client that responds with the pages in turn and records the requests. */
function clientOf(...pages: GetTopologyResponse[]) {
  const requests: GetTopologyRequest[] = [];
  const getTopology = async (request: GetTopologyRequest): Promise<GetTopologyResponse> =>
    pages[requests.push(request) - 1]!;
  return { getTopology, requests };
}

describe('loadTopology', () => {
  it('loads the topology text, including dead agents, with one call', async () => {
    const client = clientOf({ text: 'You are swiftfox42', nextPageToken: '' });
    expect(await loadTopologyText(client, true)).toBe('You are swiftfox42');
    expect(client.requests).toMatchObject([{ format: TopologyFormat.TEXT, includeDead: true }]);
  });

  it('loads every page of the topology structure, without the text', async () => {
    const page = (revision: string, ...ids: string[]) =>
      ({ revision, agents: { status: 'S', count: 3, agents: ids } }) as never;
    const client = clientOf(
      { topology: page('1', 'a', 'b'), text: '', nextPageToken: 'next' },
      { topology: page('2', 'c'), text: '', nextPageToken: '' },
    );
    expect(await loadTopology(client, false)).toEqual(page('1', 'a', 'b', 'c'));
    expect(client.requests.map(({ pageToken, format }) => [pageToken, format])).toEqual([
      ['', TopologyFormat.STRUCTURE],
      ['next', TopologyFormat.STRUCTURE],
    ]);
  });
});
