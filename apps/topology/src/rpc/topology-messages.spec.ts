import { describe, expect, it } from '@jest/globals';
import { AgentLifecycle, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import {
  EndpointAuth,
  EndpointMode,
  GetTopologyResponse,
  SectionStatus,
} from '@daycare/contracts/topology';
import {
  listed,
  testAgent,
  testEndpoint,
  testFriend,
  testFriends,
  testScope,
  testShare,
  testView,
  testWiring,
} from '../test-support/test-facts';
import type { TopologyView } from '../domain/topology-view';
import { toResponse } from './topology-messages';

const composedAt = new Date('2026-11-15T10:00:00Z');
const self = { userId: 'u1', nametag: 'swiftfox42' };

/** As a client reads it. */
function overTheWire(view: TopologyView): GetTopologyResponse {
  const page = {
    view,
    revision: 'r1',
    composedAt,
    text: 'You are',
    nextPageToken: 'next',
    changesInMs: 0,
  };
  return GetTopologyResponse.decode(
    GetTopologyResponse.encode(toResponse(page, (id) => `http://edge/e/${id}/`)).finish(),
  );
}

describe('the answer to GetTopology', () => {
  it('has every fact in the words of its owner', () => {
    const share = testShare({ status: 'pending', offeredAt: composedAt });
    const view = testView(self, {
      subusers: { subusers: [{ id: 's1', name: 'helper', nametag: 'coolcat11' }], isCut: false },
      friends: testFriends(
        [testFriend({ sharesOut: [share] })],
        [{ nametag: 'lazydog55', state: 'pending_out', since: composedAt }],
      ),
      scope: testScope({
        agents: listed([testAgent({ kind: 'subagent', lifecycle: 'dead' })], 7),
        gateways: new Map([['s1', { agentId: 'gw1', lifecycle: 'sleeping' }]]),
      }),
      wiring: testWiring({ endpoints: listed([testEndpoint()]) }),
    });
    const { topology, text, nextPageToken } = overTheWire(view);
    expect([text, nextPageToken]).toEqual(['You are', 'next']);
    expect(topology).toMatchObject({
      revision: 'r1',
      composedAt,
      self: { userId: 'u1', nametag: 'swiftfox42', agentId: '' },
      agents: {
        status: SectionStatus.AVAILABLE,
        count: 7,
        agents: [
          {
            id: 'a1',
            userId: 'u1',
            label: 'cli:me',
            kind: DescriptorKind.SUBAGENT,
            lifecycle: AgentLifecycle.DEAD,
          },
        ],
      },
      exposeEndpoints: {
        count: 1,
        endpoints: [
          {
            id: 'e1',
            target: { target: { $case: 'port', value: 8080 } },
            mode: EndpointMode.PUBLIC,
            auth: EndpointAuth.PASSWORD,
            url: 'http://edge/e/e1/',
          },
        ],
      },
      subusers: {
        subusers: [{ gatewayAgentId: 'gw1', gatewayLifecycle: AgentLifecycle.SLEEPING }],
      },
      friends: {
        friends: [
          {
            sharesOut: [
              {
                gatewayAgentId: 'gw1',
                share: { subuserId: 's1', status: ShareStatus.PENDING, offeredAt: composedAt },
              },
            ],
          },
        ],
      },
      friendRequests: { requests: [{ state: TieState.PENDING_OUT, since: composedAt }] },
    });
  });

  it('says which sections an owner that is down has left empty', () => {
    const { topology } = overTheWire(testView(self, { scope: undefined, friends: undefined }));
    const { agents, cronTasks, heartbeatTasks, friends, friendRequests } = topology!;
    for (const section of [agents, cronTasks, heartbeatTasks, friends, friendRequests])
      expect(section).toMatchObject({ status: SectionStatus.UNAVAILABLE, count: 0 });
  });

  it('has no section of people at all for a subuser', () => {
    const { topology } = overTheWire(testView({ ...self, parentUserId: 'u0' }));
    expect(topology).toMatchObject({ agents: { status: SectionStatus.AVAILABLE } });
    const { subusers, friends, friendRequests } = topology!;
    expect([subusers, friends, friendRequests]).toEqual([undefined, undefined, undefined]);
  });
});
