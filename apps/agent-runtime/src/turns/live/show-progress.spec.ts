import { expect, it } from '@jest/globals';
import type { LiveFeed } from '../../messaging';
import { testAgent } from '../../test-support/test-agent';
import { makeShowProgress } from './show-progress';

type Published = Parameters<LiveFeed['publishAgentEvent']>;

it('the beginning and the end of a tool call are published, with the first part of the call’s arguments', () => {
  const published: Published[] = [];
  const agent = testAgent({ feed: 'telegram' });
  const state = { lastSequence: 7 } as Parameters<typeof makeShowProgress>[0]['state'];
  const feed = { publishAgentEvent: (...event: Published) => void published.push(event) };
  const show = makeShowProgress({ agent, state }, feed);
  const call = { id: 'c1', name: 'exec', argumentsJson: '😀'.repeat(5_000) };
  show(call, 'started');
  show(call, 'ended');
  const shown = {
    kind: 'tool',
    toolCallId: 'c1',
    toolName: 'exec',
    argumentsJson: '😀'.repeat(1_000),
    afterSequence: 7,
  };
  const live = { agentId: agent.id, feed: 'telegram' };
  expect(published).toEqual([
    [live, { ...shown, state: 'started' }],
    [live, { ...shown, state: 'ended' }],
  ]);
});
