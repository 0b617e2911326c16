import { describe, expect, it } from '@jest/globals';
import { answeredWriter, isWriterOrigin } from './answer-target';

const friend = {
  source: 'friend',
  origin: 'friend:otter7',
  senderUserId: 'bob',
  byPerson: false,
} as const;

describe('answers to writers who wrote by nametag', () => {
  it('a gateway agent answers the agent that wrote to it by nametag, or the person if no agent did', () => {
    const sender = { agentId: 'a1', userId: 'bob' };
    expect(answeredWriter({ ...friend, sender })).toEqual({ userId: 'bob', agentId: 'a1' });
    expect(answeredWriter(friend)).toEqual({ userId: 'bob', agentId: undefined });
    expect(answeredWriter({ ...friend, origin: 'owner:otter7' })?.userId).toBe('bob');
  });

  it('a gateway agent answers no one by nametag if the message’s origin is an agent id or its sender is unknown', () => {
    expect(answeredWriter({ ...friend, origin: 'a1' })).toBeUndefined();
    const { senderUserId: _, ...withoutSender } = friend;
    expect(answeredWriter(withoutSender)).toBeUndefined();
  });

  it('a gateway agent can answer a writer by nametag only if the message’s origin is a friend or an owner', () => {
    expect(['friend:x1', 'owner:x1'].every(isWriterOrigin)).toBe(true);
    expect(['', 'abc', 'subuser:x1', 'signal:x', 'system'].some(isWriterOrigin)).toBe(false);
  });
});
