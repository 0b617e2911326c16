import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { z } from 'zod';
import type { Agent } from '../../agents/domain/agent';
import type { HistoryRecord } from '../../agents/domain/context/history-record';
import { startTestRuntime, serveReplica } from '../../test-support/test-runtime';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { anyAgent, everyone } from '../../tools/registry/tool-access';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';

/** The effects of tool calls by request id; a retried call has no second effect. */
const effects = new Map<string, string>();
const calls: string[] = [];
let interfere: (label: string) => Promise<void> = async () => undefined;

const write = testTool('write', {
  description: 'Writes something down.',
  schema: { text: z.string() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  async execute({ text }, { requestId }) {
    calls.push(requestId);
    effects.set(requestId, text);
    await interfere(text);
    return { written: text };
  },
});

const runtime = useFixture(() => startTestRuntime({ tools: testRegistry([write]) }));
beforeEach(() => {
  effects.clear();
  calls.length = 0;
  interfere = async () => undefined;
});

const serve = (holder: string, provider: ModelProvider = localProvider) =>
  serveReplica(runtime, provider, { holder });
const whenIdle = async (agent: Agent, timeoutMs = 10_000): Promise<HistoryRecord[]> => {
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0, {
    timeoutMs,
  });
  return runtime.history.listRecords(agent, { after: 0, limit: 1_000 });
};
const inShort = (record: HistoryRecord): string => {
  if (record.kind === 'tool_result') return `${record.toolName} → ${record.resultJson}`;
  if (record.kind !== 'assistant_message') return 'text' in record ? record.text : record.kind;
  return record.text || `wants ${record.toolCalls.map(({ name }) => name).join(', ')}`;
};

const newSubagent = ({ id: parentAgentId, userId }: Agent) =>
  runtime.newAgent({ kind: 'subagent', id: 'task1', parentAgentId, name: 'digger' }, userId);

describe('a turn with tools', () => {
  const bothWritten = [
    'wants write, write',
    'write → {"written":"one"}',
    'write → {"written":"two"}',
    'write: {"written":"one"}\nwrite: {"written":"two"}',
  ];

  it('a turn runs tools in order, passes their results to the model and ends with the model’s answer', async () => {
    const { stopServing } = await serve('r1');
    const agent = await runtime.newAgent();
    await runtime.say(agent, '/write {"text": "one"}\n/write {"text": "two"}');
    const records = await whenIdle(agent);
    expect(records.slice(2).map(inShort)).toEqual(bothWritten);
    expect([...effects.values()]).toEqual(['one', 'two']);
    await stopServing();
  });

  it('a turn reports failed calls, invalid arguments and unknown tools to the model', async () => {
    const { stopServing } = await serve('r1');
    const agent = await runtime.newAgent();
    interfere = async () => {
      throw new AppError('FAILED_PRECONDITION', 'not today');
    };
    await runtime.say(agent, '/write {"text": "one"}\n/write {"txt": "two"}\n/unknown {}');
    const results = (await whenIdle(agent)).filter((record) => record.kind === 'tool_result');
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(results.map(inShort)).toEqual([
      expect.stringContaining('not today'),
      expect.stringContaining('INVALID_ARGUMENT'),
      expect.stringContaining('NOT_FOUND'),
    ]);
    await stopServing();
  });

  it('a tool call whose outcome is unknown is retried with the same request id', async () => {
    const { stopServing } = await serve('r1');
    const agent = await runtime.newAgent();
    interfere = async () => {
      interfere = async () => undefined;
      throw new AppError('UNAVAILABLE', 'gone');
    };
    await runtime.say(agent, '/write {"text": "one"}');
    const records = await whenIdle(agent);
    expect(records.map(inShort)).toContain('write → {"written":"one"}');
    expect(calls).toHaveLength(2);
    expect(effects.size).toBe(1);
    await stopServing();
  });

  it('after a crash between a tool’s effect and its record, the turn continues, each call takes effect once, and the history is complete', async () => {
    let onEffect: () => void = () => undefined;
    const effect = new Promise<void>((resolve) => (onEffect = resolve));
    interfere = () => (onEffect(), new Promise<void>(() => undefined));
    const crashed = await serve('crashed');
    const agent = await runtime.newAgent();
    await runtime.say(agent, '/write {"text": "one"}\n/write {"text": "two"}');
    await effect;
    interfere = async () => undefined;
    crashed.lease.end();
    const { stopServing } = await serve('next');
    const records = await whenIdle(agent);
    expect(records.slice(2).map(inShort)).toEqual(bothWritten);
    expect(calls).toHaveLength(3);
    expect([...effects.values()]).toEqual(['one', 'two']);
    await stopServing();
  });
});

describe('the limit on tool rounds', () => {
  const rounds = (count: number): ModelProvider => {
    let round = 0;
    return {
      ...localProvider,
      async answer(request) {
        const answer = await localProvider.answer(request);
        if (round++ >= count) return answer;
        const call = { id: 'again', name: 'write', argumentsJson: '{"text": "again"}' };
        return { ...answer, text: '', toolCalls: [call] };
      },
    };
  };

  it('after 25 tool rounds a turn ends and leaves a note, and the next item is handled', async () => {
    const { stopServing } = await serve('r1', rounds(25));
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'go');
    const records = await whenIdle(agent, 20_000);
    expect(records.at(-1)).toMatchObject({ kind: 'note', text: expect.stringContaining('25') });
    expect(records.filter(({ kind }) => kind === 'tool_result')).toHaveLength(25);
    expect(effects.size).toBe(25);
    await runtime.say(agent, 'hello');
    expect((await whenIdle(agent)).at(-1)).toMatchObject({ text: 'You said: hello' });
    await stopServing();
  });

  it('a background agent’s parent is notified when the agent reaches the limit on tool rounds', async () => {
    const parent = await runtime.newAgent();
    const { stopServing } = await serve('r1', rounds(25));
    const subagent = await newSubagent(parent);
    await runtime.say(subagent, 'go');
    await whenIdle(subagent, 20_000);
    const received = (await whenIdle(parent)).filter((record) => record.kind === 'user_message');
    expect(received).toMatchObject([{ text: expect.stringMatching(/digger.*25/) }]);
    await stopServing();
  });

  it('a turn that answers after 24 tool rounds gets no note', async () => {
    const { stopServing } = await serve('r1', rounds(24));
    const agent = await runtime.newAgent();
    await runtime.say(agent, 'go');
    const records = await whenIdle(agent, 20_000);
    expect(records.some(({ kind }) => kind === 'note')).toBe(false);
    expect(records.at(-1)).toMatchObject({ kind: 'assistant_message', toolCalls: [] });
    await stopServing();
  });
});

describe('a background agent that fails', () => {
  it('a background agent that fails repeatedly is reported to its parent once, with name, id and reason', async () => {
    const broken: ModelProvider = {
      ...localProvider,
      async answer(request) {
        const last = request.context.at(-1);
        if (last?.role === 'user' && last.text.includes('impossible'))
          throw new AppError('FAILED_PRECONDITION', 'the model is away');
        return localProvider.answer(request);
      },
    };
    const { stopServing } = await serve('r1', broken);
    const parent = await runtime.newAgent();
    const subagent = await newSubagent(parent);
    await runtime.say(subagent, 'impossible');
    await whenIdle(subagent, 20_000);
    await whenIdle(parent);
    // The state after a week, when the inbox has forgotten the first report.
    await runtime.mongo.db.collection('inbox').deleteMany({ userId: parent.userId });
    await runtime.say(subagent, 'impossible again');
    await whenIdle(subagent, 20_000);
    const received = (await whenIdle(parent)).filter((record) => record.kind === 'user_message');
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ origin: 'system' });
    for (const part of ['digger', subagent.id, 'the model is away'])
      expect(received[0]).toHaveProperty('text', expect.stringContaining(part));
    await stopServing();
  });
});
