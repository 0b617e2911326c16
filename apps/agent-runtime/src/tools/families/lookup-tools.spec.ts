import { afterEach, describe, expect, it } from '@jest/globals';
import { TopologyFormat, type TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import { makeShowTopology } from '../../peers/topology-client';
import { testAgent, testContext } from '../../test-support/test-agent';
import { startTestPeers, testCredential, type TestPeers } from '../../test-support/test-peers';
import { testRegistry } from '../../test-support/test-tool';
import type { ToolRegistry } from '../registry/tool-registry';
import { lookupTools } from './lookup-tools';

let peers: TestPeers;
afterEach(() => peers.close());

const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });

/** The lookup tools, which call a topology service with these handlers. */
async function serve(handlers: Handlers<typeof TopologyServiceService>): Promise<ToolRegistry> {
  peers = await startTestPeers({ topology: handlers });
  const showTopology = makeShowTopology(peers.topology, testCredential);
  const skills = { read: async () => '' };
  const searchTools = async () => ({ families: [], tools: [] });
  return testRegistry(lookupTools({ showTopology, skills, searchTools }));
}

describe('topology', () => {
  it.each([
    [testAgent(), {}, false, { userId: 'user1', agentId: 'agent1' }],
    [subuserAgent, { includeDead: true }, true, { userId: 'sub1', parentUserId: 'user1' }],
  ])(
    'the topology tool shows every agent what the service returns for that agent',
    async (agent, args, includeDead, caller) => {
      const seen: unknown[] = [];
      const tools = await serve({
        async getTopology(request, context) {
          seen.push(request, context.caller);
          return { text: 'You are swiftfox42', nextPageToken: '' };
        },
      });
      expect(tools.list(agent).map(({ name }) => name)).toContain('topology');
      const { resultJson } = await tools.call('topology', JSON.stringify(args), testContext(agent));
      expect(JSON.parse(resultJson)).toEqual({ text: 'You are swiftfox42' });
      expect(seen).toEqual([
        { pageSize: 0, pageToken: '', includeDead, format: TopologyFormat.TEXT },
        expect.objectContaining({ kind: 'user', ...caller }),
      ]);
    },
  );

  it.each([
    ['  <- shared in: Cook (nametag=cook1) gateway=g status=active', 'guest'],
    ['  -> shared out: Cook (nametag=cook1) gateway=g status=active', undefined],
  ])('topology text with the line %p has the provenance %s', async (line, provenance) => {
    const text = `Friends (1)\nswiftfox42\n${line}`;
    const tools = await serve({ getTopology: async () => ({ text, nextPageToken: '' }) });
    const outcome = await tools.call('topology', '{}', testContext(testAgent()));
    expect(outcome.provenance).toBe(provenance);
  });

  it('the topology tool rejects all arguments except includeDead', async () => {
    const tools = await serve({});
    const call = tools.call('topology', '{"userId":"user2"}', testContext(testAgent()));
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
