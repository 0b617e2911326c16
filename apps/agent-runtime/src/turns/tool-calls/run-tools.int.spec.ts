import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { z } from 'zod';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import { gate } from '../../test-support/hanging-provider';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { labelled } from '../../tools/domain/tool-outcome';
import { anyAgent, everyone } from '../../tools/registry/tool-access';
import { toolTable } from '../../tools/domain/tool-policy';

type Act = (requestId: string) => Promise<unknown>;
const acts = new Map<string, Act>();
const calls: { readonly name: string; readonly requestId: string }[] = [];
const tool = (name: string) =>
  testTool<z.ZodRawShape>(name, {
    description: 'A tool.',
    schema: {},
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute(_args, { requestId }) {
      calls.push({ name, requestId });
      return (await acts.get(name)?.(requestId)) ?? { done: name };
    },
  });
const readTools = ['read_a', 'read_b', 'read_c'];
const rows = Object.fromEntries(readTools.map((name) => [name, toolTable.topology]));
const tools = testRegistry([...readTools, 'write'].map(tool), { extraRows: rows });
const runtime = useFixture(() => startTestRuntime({ tools, toolRetryMs: 300 }));
beforeEach(() => {
  acts.clear();
  calls.length = 0;
});

const resultsOf = async (agent: Agent) =>
  (await runtime.recordsOf(agent)).filter((record) => record.kind === 'tool_result');
const whenIdle = async (agent: Agent): Promise<void> => {
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
};
const fail = (code: ErrorCode) => async () => {
  throw new AppError(code, 'gone');
};
const deadLettersOf = ({ id: agentId, userId }: Agent) =>
  runtime.deadLetters.list({ reader: { userId }, agentId, after: undefined, limit: 10 });

describe('a tool whose service is not available', () => {
  it.each(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'] as const)(
    'the model gets an error from a tool that keeps failing with %s, and the turn continues',
    async (code) => {
      const stopServing = await serveNext(runtime, localProvider);
      const agent = await runtime.newAgent();
      acts.set('write', fail(code));
      await runtime.say(agent, '/write {}');
      await whenIdle(agent);
      expect(await resultsOf(agent)).toMatchObject([
        { isError: true, resultJson: expect.stringMatching(`"${code}".*not known whether`) },
      ]);
      expect((await runtime.recordsOf(agent)).at(-1)).toMatchObject({ kind: 'assistant_message' });
      expect(new Set(calls.map(({ requestId }) => requestId)).size).toBe(1);
      expect(await deadLettersOf(agent)).toEqual([]);
      await stopServing();
    },
  );

  it('a tool call succeeds if its service recovers in time', async () => {
    const stopServing = await serveNext(runtime, localProvider);
    const agent = await runtime.newAgent();
    acts.set('read_a', async () => (acts.delete('read_a'), fail('UNAVAILABLE')()));
    await runtime.say(agent, '/read_a {}');
    await whenIdle(agent);
    expect(await resultsOf(agent)).toMatchObject([{ isError: false, toolName: 'read_a' }]);
    expect(calls).toHaveLength(2);
    await stopServing();
  });
});

describe('the calls in one answer', () => {
  it('read-only calls run in parallel, others one at a time; results are in the order of the calls', async () => {
    const stopServing = await serveNext(runtime, localProvider);
    const agent = await runtime.newAgent();
    const lastStarted = gate();
    const ended: string[] = [];
    const end = (name: string) => () => void ended.push(name);
    acts.set('read_a', () => lastStarted.opened.then(end('read_a')));
    acts.set('read_b', () => lastStarted.opened.then(end('read_b')));
    acts.set('read_c', async () => (lastStarted.open(), end('read_c')()));
    acts.set('write', async () => end('write')());
    await runtime.say(agent, '/read_a {}\n/read_b {}\n/read_c {}\n/write {}\n/read_a {}');
    await whenIdle(agent);
    expect(ended[0]).toBe('read_c');
    expect(ended.slice(3)).toEqual(['write', 'read_a']);
    const results = await resultsOf(agent);
    expect(results.map(({ toolName }) => toolName)).toEqual([
      'read_a',
      'read_b',
      'read_c',
      'write',
      'read_a',
    ]);
    await stopServing();
  });

  it('outside text read by one of several parallel calls restricts the calls after them', async () => {
    const stopServing = await serveNext(runtime, localProvider);
    const agent = await runtime.newAgent();
    acts.set('read_b', async () => labelled({}, { provenance: 'outside', isPrivate: true }));
    await runtime.say(agent, '/read_a {}\n/read_b {}\n/write {}');
    await whenIdle(agent);
    const results = await resultsOf(agent);
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true]);
    expect(results.at(-1)).toHaveProperty(
      'resultJson',
      expect.stringContaining('PERMISSION_DENIED'),
    );
    await stopServing();
  });
});
