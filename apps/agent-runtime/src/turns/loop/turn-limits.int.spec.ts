import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import { hangingProvider } from '../../test-support/hanging-provider';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { anyAgent, everyone } from '../../tools/registry/tool-access';

const limits = { maxTurnMs: 300, maxToolCallsPerAnswer: 2, maxToolCallsPerTurn: 3 };
const wave = testTool('wave', {
  description: 'Waves.',
  schema: {},
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async () => ({}),
});
const runtime = useFixture(() => startTestRuntime({ limits, tools: testRegistry([wave]) }));

const storyAfter = async (agent: Agent, text: string): Promise<string[]> => {
  await runtime.say(agent, text);
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
  const records = await runtime.history.listRecords(agent, { after: 0, limit: 100 });
  return records.map((record) => {
    if (record.kind === 'tool_result') return record.isError ? 'error' : 'result';
    return 'text' in record && record.text !== '' ? record.text : record.kind;
  });
};

it('a turn that takes too long ends with a note, and the next message is answered', async () => {
  const stopServing = await serveNext(runtime, hangingProvider().provider);
  const agent = await runtime.newAgent();
  const note = expect.stringContaining('of work');
  expect(await storyAfter(agent, 'hang')).toEqual(['start', 'hang', note]);
  expect((await storyAfter(agent, 'hello')).at(-1)).toBe('You said: hello');
  await stopServing();
});

it('tool calls beyond the limits per answer and per turn are refused, and the turn ends', async () => {
  const call = (id: string) => ({ id, name: 'wave', argumentsJson: '{}' });
  const stopServing = await serveNext(runtime, {
    ...localProvider,
    async answer(request) {
      const answer = await localProvider.answer(request);
      return { ...answer, text: '', toolCalls: ['a', 'b', 'c'].map(call) };
    },
  });
  const agent = await runtime.newAgent();
  const outcomes = await storyAfter(agent, 'go');
  // Two calls may run per answer, and three per turn. A refused call gets its error immediately.
  expect(outcomes.slice(2)).toEqual([
    ...['assistant_message', 'error', 'result', 'result'],
    ...['assistant_message', 'error', 'error', 'result'],
    ...['assistant_message', 'error', 'error', 'error'],
    expect.stringContaining('3 tool calls'),
  ]);
  await stopServing();
});
