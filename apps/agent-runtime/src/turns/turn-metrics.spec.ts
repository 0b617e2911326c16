import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { firstEntry, nextEntry, type AgentStep, type HistoryEvent } from '../agents';
import { testAgent } from '../test-support/test-agent';
import { callUsage } from '../test-support/test-spending';
import { countTurns } from './turn-metrics';

const agent = { id: 'a', userId: 'u' };
const now = new Date();
const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
const answer: HistoryEvent = {
  kind: 'assistant_message',
  text: 'Hi',
  toolCalls: [],
  usage,
  provider: 'local',
  model: 'echo',
  replyTarget: '',
};
const result = (toolName: string, isError: boolean): HistoryEvent => ({
  kind: 'tool_result',
  toolCallId: 'c',
  toolName,
  resultJson: '{}',
  isError,
  truncated: false,
});
const compaction: HistoryEvent = { kind: 'compaction', summary: '', keptFrom: 1, trust: 'person' };
const settled = { messageIds: ['m'], dead: undefined };

it('counts turns, tool calls and compactions by outcome, and calls to nonexistent tools under a single name', async () => {
  const registry = new Registry();
  const count = countTurns({ metrics: { registry }, isTool: (name) => name === 'look' });
  const steps: AgentStep[] = [
    { events: [answer], current: undefined, settled },
    { events: [], current: undefined, settled: { ...settled, dead: { reason: 'x', attempts: 1 } } },
    { events: [], current: undefined, settled: { ...settled, unfinished: 'stopped' } },
    { events: [], current: undefined, settled },
    {
      events: [result('look', false), result('look', true), result('x1', true)],
      current: undefined,
    },
    { events: [result('x2', true)], current: undefined },
    { events: [compaction], current: undefined, call: callUsage(testAgent()) },
    { events: [compaction], current: undefined },
    { events: [{ kind: 'reset', message: '', emergency: true }], current: undefined },
    { events: [{ kind: 'reset', message: '', emergency: false }], current: undefined },
  ];
  const head = firstEntry(agent, now);
  for (const step of steps) count(nextEntry(head, step, { holder: 'r', fence: 1 }, now));
  const shown = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  expect(shown.filter((line) => line !== '').sort()).toEqual([
    'daycare_compactions_total{outcome="left_out"} 1',
    'daycare_compactions_total{outcome="reset"} 1',
    'daycare_compactions_total{outcome="summarised"} 1',
    'daycare_tool_calls_total{tool="look",outcome="failed"} 1',
    'daycare_tool_calls_total{tool="look",outcome="succeeded"} 1',
    'daycare_tool_calls_total{tool="unknown",outcome="failed"} 2',
    'daycare_turns_total{outcome="answered"} 1',
    'daycare_turns_total{outcome="failed"} 1',
    'daycare_turns_total{outcome="unfinished"} 1',
  ]);
});
