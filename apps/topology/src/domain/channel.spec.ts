import { describe, expect, it } from '@jest/globals';
import {
  channelText,
  isChannelName,
  join,
  leave,
  listenersOf,
  mostMembers,
  type Channel,
} from './channel';

const joinedAt = new Date(0);
const member = (agentId: string, username = agentId) => ({ agentId, username, joinedAt });
const channel: Channel = {
  id: 'c1',
  userId: 'u1',
  name: 'ops',
  leaderAgentId: 'a1',
  members: [member('a1', 'leader'), member('a2', 'dev'), member('a3', 'qa')],
  createdAt: joinedAt,
};

describe('joining', () => {
  it('puts the agent behind the others', () => {
    expect(join(channel, member('a4', 'new'))).toEqual({
      ...channel,
      members: [...channel.members, member('a4', 'new')],
    });
  });

  it('changes nothing for a member under the same name', () => {
    expect(join(channel, member('a2', 'dev'))).toBe(channel);
  });

  it('is refused under a name that is taken, under a second name, and when the channel is full', () => {
    const members = Array.from({ length: mostMembers }, (_, index) => member(`m${index}`));
    expect(join(channel, member('a4', 'dev'))).toBe('username_taken');
    expect(join(channel, member('a2', 'other'))).toBe('joined_otherwise');
    expect(join({ ...channel, members }, member('a4'))).toBe('full');
  });
});

describe('leaving', () => {
  it('lets the one who joined first follow the leader', () => {
    expect(leave(channel, 'a1')).toMatchObject({
      leaderAgentId: 'a2',
      members: [member('a2', 'dev'), member('a3', 'qa')],
    });
    expect(leave(channel, 'a2')).toMatchObject({ leaderAgentId: 'a1' });
  });

  it('leaves nobody when the last one goes, and is refused for others', () => {
    expect(leave({ ...channel, members: [member('a1')] }, 'a1')?.members).toEqual([]);
    expect(leave(channel, 'a4')).toBeUndefined();
  });
});

describe('what is said', () => {
  it('is heard by the leader and the mentioned, not by who said it', () => {
    expect(listenersOf(channel, 'a2', 'hello')).toEqual({ mentions: [], agentIds: ['a1'] });
    expect(listenersOf(channel, 'a2', '@qa @dev')).toEqual({
      mentions: ['qa'],
      agentIds: ['a1', 'a3'],
    });
    expect(listenersOf(channel, 'a1', 'hello')).toEqual({ mentions: [], agentIds: [] });
    expect(listenersOf(channel, 'a1', '@dev @leader')).toEqual({
      mentions: ['dev'],
      agentIds: ['a2'],
    });
  });

  it('shows who spoke', () => {
    const said = { senderUsername: 'dev', text: 'hello' };
    expect(channelText(said as Parameters<typeof channelText>[0])).toBe('@dev: hello');
  });
});

it.each([
  ['ops', true],
  ['0-_', true],
  ['a'.repeat(80), true],
  ['a'.repeat(81), false],
  ['', false],
  ['-a', false],
  ['Ops', false],
  ['a b', false],
  ['ops\n', false],
])('%j can be a name: %s', (text, expected) => {
  expect(isChannelName(text)).toBe(expected);
});
