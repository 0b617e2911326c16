import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '@daycare/api';
import { testAgent, testContext } from '../../test-support/test-agent';
import { testRegistry, testTool } from '../../test-support/test-tool';
import type { Tool } from './tool';
import { anyAgent, everyone, topLevelOnly, requireTopLevel } from './tool-access';

const context = testContext(testAgent());
const subuserAgent = testAgent({ userId: 'sub1', ownerUserId: 'user1' });

const echo = testTool('echo', {
  description: 'Repeats text',
  schema: { text: z.string(), times: z.int().min(1).optional() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async ({ text, times = 1 }) => ({ said: text.repeat(times) }),
});

const secret = testTool('a_secret', {
  description: 'For top-level users',
  schema: {},
  isVisibleTo: topLevelOnly,
  authorise: requireTopLevel,
  execute: async () => undefined,
});

const failingTool = (thrown: Error): Tool =>
  testTool('fail', { ...withEmptySchema(secret), execute: () => Promise.reject(thrown) });

function withEmptySchema({ schema: _schema, name: _name, ...tool }: Tool) {
  return { ...tool, schema: {} };
}

const tools = testRegistry([echo, secret]);

describe('the list of tools', () => {
  it('lists tools sorted by name, with schemas that reject unknown fields', () => {
    expect(tools.list(context.agent)).toMatchObject([
      { name: 'a_secret' },
      {
        name: 'echo',
        description: 'Repeats text',
        inputSchema: { required: ['text'], additionalProperties: false },
      },
    ]);
  });

  it('lists only tools that are visible to the agent', () => {
    expect(tools.list(subuserAgent).map(({ name }) => name)).toEqual(['echo']);
  });

  it('a tool that policies refuse in every turn is not offered, and calls to it are refused anyway', async () => {
    const refused = {
      person: 'refuse',
      own: 'refuse',
      guest: 'refuse',
      outside: 'refuse',
    } as const;
    const agent = testAgent({ toolPolicy: { rules: { echo: refused } } });
    expect((await tools.offer(agent)).map(({ name }) => name)).toEqual(['a_secret']);
    await expect(tools.call('echo', '{"text":"hi"}', testContext(agent))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const refusesGuests = testAgent({ toolPolicy: { rules: { echo: { guest: 'refuse' } } } });
    expect(await tools.offer(refusesGuests)).toHaveLength(2);
  });

  it('rejects two tools with the same name', () => {
    expect(() => testRegistry([echo, echo])).toThrow('two tools have the same name');
  });
});

describe('a tool call', () => {
  it('returns a tool’s result as JSON', async () => {
    const outcome = await tools.call('echo', '{"text":"hi","times":2}', context);
    expect(outcome).toEqual({ resultJson: '{"said":"hihi"}', truncated: false, isError: false });
  });

  it('returns an empty object for a tool without a result', async () => {
    expect(await tools.call('a_secret', ' ', context)).toMatchObject({ resultJson: '{}' });
  });

  it.each(['nothing', '', 'constructor', '__proto__', 'Echo'])(
    'rejects the unknown tool %p',
    async (name) => {
      const message = `There is no tool ${JSON.stringify(name)}`;
      await expect(tools.call(name, '{}', context)).rejects.toEqual(
        new AppError('NOT_FOUND', message),
      );
    },
  );

  it.each([
    ['are an array', '[]', 'arguments'],
    ['are null', 'null', 'arguments'],
    ['have an unknown field', '{"text":"hi","loud":true}', 'arguments'],
    ['have a field __proto__', '{"text":"hi","__proto__":{}}', 'arguments'],
    ['lack a field', '{}', 'text'],
    ['have a field of the wrong type', '{"text":1}', 'text'],
    ['have a value out of range', '{"text":"hi","times":0}', 'times'],
  ])('names the field at fault, or "arguments", when tool arguments %s', async (_, json, field) => {
    const error = await tools.call('echo', json, context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { fields: [{ field }] } });
  });

  it.each(['{', '{"text":"hi"', 'text', "{'text':'hi'}"])(
    'rejects tool arguments that are not JSON: %p',
    async (json) => {
      await expect(tools.call('echo', json, context)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: 'The arguments are not valid JSON',
      });
    },
  );

  it('rejects tool arguments longer than 262,144 characters', async () => {
    await expect(tools.call('echo', ' '.repeat(262_145), context)).rejects.toMatchObject({
      message: 'The arguments are longer than 262,144 characters',
    });
  });

  it('refuses a call by a subuser’s agent to a tool for top-level users only', async () => {
    await expect(tools.call('a_secret', '{}', testContext(subuserAgent))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('truncates a tool result at 8,000 characters and notes how much was omitted', async () => {
    const fits = await tools.call('echo', JSON.stringify({ text: 'x'.repeat(7_989) }), context);
    expect(fits).toMatchObject({ truncated: false });
    const text = 'x'.repeat(10_000);
    const truncated = await tools.call('echo', JSON.stringify({ text }), context);
    expect(truncated.truncated).toBe(true);
    const note = '… [truncated: 2011 of 10011 characters omitted]';
    expect(JSON.parse(truncated.resultJson)).toBe(`{"said":"${'x'.repeat(7_991)}${note}`);
  });
});

describe('a tool call by a model', () => {
  it('a model receives a refusal as an error result', async () => {
    const outcome = await tools.answer('echo', '{"loud":true}', context);
    expect(outcome).toMatchObject({ isError: true, truncated: false });
    expect(JSON.parse(outcome.resultJson)).toMatchObject({
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('loud') },
    });
  });

  it('a model does not receive internal error messages', async () => {
    const broken = testRegistry([failingTool(new Error('password 1234'))]);
    const outcome = await broken.answer('fail', '{}', context);
    expect(JSON.parse(outcome.resultJson)).toEqual({
      error: { code: 'INTERNAL', message: 'Internal error' },
    });
  });

  it.each(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'] as const)(
    'rethrows %s instead of returning it to the model as an error result',
    async (code) => {
      const thrown = new AppError(code, 'unknown outcome');
      const unreachable = testRegistry([failingTool(thrown)]);
      await expect(unreachable.answer('fail', '{}', context)).rejects.toBe(thrown);
    },
  );

  it('rethrows a tool’s error when the turn has been aborted', async () => {
    const thrown = new AppError('NOT_FOUND', 'not there');
    const signal = AbortSignal.abort();
    const failing = testRegistry([failingTool(thrown)]);
    const call = failing.answer('fail', '{}', testContext(testAgent(), { signal }));
    await expect(call).rejects.toBe(thrown);
  });
});
