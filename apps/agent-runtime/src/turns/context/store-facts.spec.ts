import { expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { z } from 'zod';
import { initialState } from '../../agents/domain/agent-state';
import { testAgent } from '../../test-support/test-agent';
import { testRegistry, testTool } from '../../test-support/test-tool';
import { testWork } from '../../test-support/turns/test-work';
import { anyAgent, everyone } from '../../tools/registry/tool-access';
import { storeFacts } from './store-facts';

/** Stores the fact in a summary; returns the contents that `write` received, and the warnings. */
async function store(write: (content: string) => void, signal = new AbortController().signal) {
  const warnings: object[] = [];
  const memoryWrite = testTool('memory_write', {
    description: 'Stores a node.',
    schema: { nodeId: z.string(), title: z.string(), description: z.string(), content: z.string() },
    isVisibleTo: everyone,
    authorise: anyAgent,
    execute: async ({ content }) => {
      write(content);
      return {};
    },
  });
  const session = { agent: testAgent(), state: initialState };
  const log = { warn: (fields: object, text: string) => void warnings.push({ ...fields, text }) };
  const deps = { tools: testRegistry([memoryWrite]), log };
  await storeFacts({ session, work: testWork(), signal }, '## Facts\n- Ada likes tea', deps);
  return warnings;
}
const text = expect.stringContaining('cannot write the facts from a summary');

it('facts are written to memory as a list, without a warning', async () => {
  const contents: string[] = [];
  expect(await store((content) => void contents.push(content))).toEqual([]);
  expect(contents).toEqual(['- Ada likes tea']);
});

it('nothing is written or logged for an agent that has no tool to write to memory', async () => {
  const session = { agent: testAgent(), state: initialState };
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  const { signal } = new AbortController();
  const deps = { tools: testRegistry([]), log };
  await storeFacts({ session, work: testWork(), signal }, '## Facts\n- Ada likes tea', deps);
  expect(warnings).toEqual([]);
});

it('a refused memory_write is logged as a warning with the refusal', async () => {
  const warnings = await store(() => {
    throw new AppError('FAILED_PRECONDITION', 'the memory is full');
  });
  const result = expect.stringContaining('the memory is full');
  expect(warnings).toEqual([{ agentId: 'agent1', result, text }]);
});

it('a memory_write that fails because a service is unavailable is logged as a warning', async () => {
  const error = new AppError('UNAVAILABLE', 'no database');
  const warnings = await store(() => {
    throw error;
  });
  expect(warnings).toEqual([{ agentId: 'agent1', err: error, text }]);
});

it('a memory_write that fails because the turn was stopped is not logged, and the step fails', async () => {
  const stop = new AbortController();
  const storing = store(() => {
    stop.abort(new Error('stopped'));
    throw new AppError('UNAVAILABLE', 'no database');
  }, stop.signal);
  await expect(storing).rejects.toThrow('stopped');
});
