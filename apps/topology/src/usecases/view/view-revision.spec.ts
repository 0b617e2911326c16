import { describe, expect, it } from '@jest/globals';
import { renderTopology } from '../../domain/view/render-topology';
import type { Facts } from '../../domain/view/topology-view';
import type { Authored } from '../../domain/viewer';
import { encodeSections } from '../../rpc/topology-messages';
import * as facts from '../../test-support/test-facts';
import { revisionOf } from './view-revision';

const agent = { userId: 'u1', nametag: 'swiftfox42', agentId: 'a1' };
const createdAt = new Date('2026-11-15T10:00:00Z');
const owned = { id: 'x1', userId: 'u1', ownerUserId: 'u1', createdAt };

const makeSubscription = (author: Authored): Partial<Facts> => {
  const subscription = { ...owned, agentId: 'a2', pattern: 'build:*', silent: false, ...author };
  return { wiring: facts.testWiring({ subscriptions: facts.listed([subscription]) }) };
};
const makeChannel = (author: Authored, memberAuthor: Authored = {}): Partial<Facts> => {
  const members = [{ agentId: 'a2', username: 'dev', joinedAt: createdAt, ...memberAuthor }];
  const channel = { ...owned, name: 'ops', leaderAgentId: 'a2', members, ...author };
  return { wiring: facts.testWiring({ channels: facts.listed([channel]) }) };
};
const makeGateway = (author: Authored): Partial<Facts> => {
  const gateway = { agentId: 'g1', lifecycle: 'active', ...author } as const;
  const scope = facts.testScope({ gateways: new Map([['s1', gateway]]) });
  return { scope, subusers: facts.testSubusers([facts.testSubuser()]) };
};

function show(changes: Partial<Facts>) {
  const view = facts.testView(agent, changes);
  const none = { subusers: undefined, friends: undefined, scope: undefined, wiring: undefined };
  const encoded = encodeSections(view, () => '');
  const revision = revisionOf(encoded, view, { ...none, ...changes });
  return { text: renderTopology(view), revision };
}

describe('revisionOf', () => {
  it.each([
    ['a subscription', makeSubscription],
    ['a channel', makeChannel],
    ['a channel member', (author: Authored) => makeChannel({}, author)],
    ['a gateway agent', makeGateway],
  ])(
    'the revision of a view changes when the user chooses the same name that a guest had chosen for %s',
    (_, make) => {
      const [before, after] = [show(make({ writtenBy: 'guest' })), show(make({}))];
      expect(after.text).not.toBe(before.text);
      expect(after.revision).not.toBe(before.revision);
      expect(show(make({})).revision).toBe(after.revision);
    },
  );
});
