import { afterEach, describe, expect, it } from '@jest/globals';
import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import { makeShowTopology } from '../rpc/topology-client';
import { testAgent, testContext } from '../test-support/test-agent';
import { startTestPeers, testCredential, type TestPeers } from '../test-support/test-peers';
import { ToolRegistry } from './tool-registry';
import { makeTopologyTool } from './topology';

let peers: TestPeers;
afterEach(() => peers.close());

const ofSubuser = testAgent({ userId: 'sub1', ownerUserId: 'user1' });

/** The tool in front of a topology that answers so. */
async function serve(handlers: Handlers<typeof TopologyServiceService>): Promise<ToolRegistry> {
  peers = await startTestPeers({ topology: handlers });
  return new ToolRegistry([
    makeTopologyTool({ showTopology: makeShowTopology(peers.topology, testCredential) }),
  ]);
}

describe('topology', () => {
  it.each([
    [testAgent(), {}, false, { userId: 'user1', agentId: 'agent1' }],
    [ofSubuser, { includeDead: true }, true, { userId: 'sub1', parentUserId: 'user1' }],
  ])('tells every agent what the service says to it', async (agent, args, includeDead, caller) => {
    const seen: unknown[] = [];
    const tools = await serve({
      async getTopology(request, context) {
        seen.push(request, context.caller);
        return { text: 'You are swiftfox42', nextPageToken: '' };
      },
    });
    expect(tools.list(agent).map(({ name }) => name)).toEqual(['topology']);
    const { resultJson } = await tools.call('topology', JSON.stringify(args), testContext(agent));
    expect(JSON.parse(resultJson)).toEqual({ text: 'You are swiftfox42' });
    expect(seen).toEqual([
      { pageSize: 0, pageToken: '', includeDead },
      expect.objectContaining({ kind: 'user', ...caller }),
    ]);
  });

  it('takes nothing but whether dead agents are wanted', async () => {
    const tools = await serve({});
    const call = tools.call('topology', '{"userId":"user2"}', testContext(testAgent()));
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
