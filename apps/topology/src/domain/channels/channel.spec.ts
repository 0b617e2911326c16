import { describe, expect, it } from '@jest/globals';
import {
  channelText,
  isChannelName,
  join,
  leave,
  channelRecipients,
  maxMembers,
  type Channel,
} from './channel';

const joinedAt = new Date(0);
const member = (agentId: string, username = agentId) => ({ agentId, username, joinedAt });
const channel: Channel = {
  id: 'c1',
  userId: 'u1',
  ownerUserId: 'u1',
  name: 'ops',
  leaderAgentId: 'a1',
  members: [member('a1', 'leader'), member('a2', 'dev'), member('a3', 'qa')],
  createdAt: joinedAt,
};

describe('join', () => {
  it('joining a channel appends the agent to the members', () => {
    expect(join(channel, member('a4', 'new'))).toEqual({
      ...channel,
      members: [...channel.members, member('a4', 'new')],
    });
  });

  it('joining a channel again under the same username changes nothing', () => {
    expect(join(channel, member('a2', 'dev'))).toBe(channel);
  });

  it('joining a channel is refused if it is full, the username is taken, or the agent has another username in it', () => {
    const members = Array.from({ length: maxMembers }, (_, index) => member(`m${index}`));
    expect(join(channel, member('a4', 'dev'))).toBe('username_taken');
    expect(join(channel, member('a2', 'other'))).toBe('has_other_username');
    expect(join({ ...channel, members }, member('a4'))).toBe('full');
  });
});

describe('leave', () => {
  it('when its leader leaves, a channel is led by the remaining member who joined first', () => {
    expect(leave(channel, 'a1')).toMatchObject({
      leaderAgentId: 'a2',
      members: [member('a2', 'dev'), member('a3', 'qa')],
    });
    expect(leave(channel, 'a2')).toMatchObject({ leaderAgentId: 'a1' });
  });

  it('leaving a channel returns an empty channel for its last member, and nothing for an agent that is not a member', () => {
    expect(leave({ ...channel, members: [member('a1')] }, 'a1')?.members).toEqual([]);
    expect(leave(channel, 'a4')).toBeUndefined();
  });
});

describe('messages', () => {
  it('a channel message goes to the leader and the mentioned members, not to its sender', () => {
    expect(channelRecipients(channel, 'a2', 'hello')).toEqual({ mentions: [], agentIds: ['a1'] });
    expect(channelRecipients(channel, 'a2', '@qa @dev')).toEqual({
      mentions: ['qa'],
      agentIds: ['a1', 'a3'],
    });
    expect(channelRecipients(channel, 'a1', 'hello')).toEqual({ mentions: [], agentIds: [] });
    expect(channelRecipients(channel, 'a1', '@dev @leader')).toEqual({
      mentions: ['dev'],
      agentIds: ['a2'],
    });
  });

  it('the text of a channel message names its sender', () => {
    const message = { senderUsername: 'dev', text: 'hello' };
    expect(channelText(message as Parameters<typeof channelText>[0])).toBe('@dev: hello');
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
])('%j is a valid channel name: %s', (text, expected) => {
  expect(isChannelName(text)).toBe(expected);
});
