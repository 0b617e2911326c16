import { describe, expect, it } from '@jest/globals';
import { AgentLifecycle, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import {
  EndpointAuth,
  EndpointMode,
  GetTopologyResponse,
  SectionStatus,
  TopologyFormat,
} from '@daycare/contracts/topology';
import * as facts from '../test-support/test-facts';
import type { TopologyView } from '../domain/view/topology-view';
import { encodeSections, readFormat, toResponse } from './topology-messages';

const composedAt = new Date('2026-11-15T10:00:00Z');
const self = { userId: 'u1', nametag: 'swiftfox42' };

/** The response as a client decodes it. */
function overTheWire(view: TopologyView | undefined): GetTopologyResponse {
  const page = {
    self: view?.self ?? self,
    revision: 'r1',
    composedAt,
    view,
    encoded: view ? encodeSections(view, (id) => `http://edge/e/${id}/`) : new Uint8Array(),
    text: 'You are',
    nextPageToken: 'next',
    changesInMs: 0,
  };
  return GetTopologyResponse.decode(toResponse(page).bytes);
}

describe('toResponse', () => {
  it('the response of GetTopology expresses each fact in the enums of the service that owns it', () => {
    const share = facts.testShare({ status: 'pending', offeredAt: composedAt });
    const view = facts.testView(self, {
      subusers: facts.testSubusers([facts.testSubuser()]),
      friends: facts.testFriends(
        [facts.testFriend({ sharesOut: [share] })],
        [{ nametag: 'lazydog55', state: 'pending_out', since: composedAt }],
      ),
      scope: facts.testScope({
        agents: facts.listed([facts.testAgent({ kind: 'subagent', lifecycle: 'dead' })], 7),
        gateways: new Map([['s1', { agentId: 'gw1', lifecycle: 'sleeping' }]]),
      }),
      wiring: facts.testWiring({ endpoints: facts.listed([facts.testEndpoint()]) }),
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

  it('the response of GetTopology marks the sections whose source is unavailable', () => {
    const { topology } = overTheWire(
      facts.testView(self, { scope: undefined, friends: undefined }),
    );
    const { agents, cronTasks, heartbeatTasks, friends, friendRequests } = topology!;
    for (const section of [agents, cronTasks, heartbeatTasks, friends, friendRequests])
      expect(section).toMatchObject({ status: SectionStatus.UNAVAILABLE, count: 0 });
  });

  it('the response of GetTopology to a subuser has no sections for subusers, friends or requests', () => {
    const { topology } = overTheWire(facts.testView({ ...self, parentUserId: 'u0' }));
    expect(topology).toMatchObject({ agents: { status: SectionStatus.AVAILABLE } });
    const { subusers, friends, friendRequests } = topology!;
    expect([subusers, friends, friendRequests]).toEqual([undefined, undefined, undefined]);
  });

  it('the response of GetTopology has the revision but no sections when only the text was requested', () => {
    const { topology, text } = overTheWire(undefined);
    expect(text).toBe('You are');
    expect(topology).toEqual({
      revision: 'r1',
      composedAt,
      self: { userId: 'u1', nametag: 'swiftfox42', agentId: '' },
    });
  });
});

describe('readFormat', () => {
  it.each([
    [TopologyFormat.UNSPECIFIED, undefined],
    [TopologyFormat.TEXT, 'text'],
    [TopologyFormat.STRUCTURE, 'structure'],
  ])('reads the format %s of a request as %s', (format, expected) => {
    expect(readFormat(format)).toBe(expected);
  });

  it('rejects a request with an unknown format', () => {
    expect(() => readFormat(TopologyFormat.UNRECOGNIZED)).toThrow('format');
  });
});
