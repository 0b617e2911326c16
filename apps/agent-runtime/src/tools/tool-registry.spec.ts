import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '@daycare/errors';
import { testAgent, testContext } from '../test-support/test-agent';
import { defineTool, type Tool } from './tool';
import { ToolRegistry } from './tool-registry';
import { anyAgent, everyone, ofOwners, ownersOnly } from './who-may';

const context = testContext(testAgent());
const ofSubuser = testAgent({ userId: 'sub1', ownerUserId: 'user1' });

const echo = defineTool({
  name: 'echo',
  description: 'Says it again',
  schema: { text: z.string(), times: z.int().min(1).optional() },
  isVisibleTo: everyone,
  authorise: anyAgent,
  execute: async ({ text, times = 1 }) => ({ said: text.repeat(times) }),
});

const secret = defineTool({
  name: 'a_secret',
  description: 'For owners',
  schema: {},
  isVisibleTo: ofOwners,
  authorise: ownersOnly,
  execute: async () => undefined,
});

const failing = (thrown: Error): Tool =>
  defineTool({ ...plain(secret), name: 'fail', execute: () => Promise.reject(thrown) });

function plain({ schema: _schema, ...tool }: Tool) {
  return { ...tool, schema: {} };
}

const tools = new ToolRegistry([echo, secret]);

describe('the list of tools', () => {
  it('is by name, with schemas that take no other fields', () => {
    expect(tools.list(context.agent)).toMatchObject([
      { name: 'a_secret' },
      {
        name: 'echo',
        description: 'Says it again',
        inputSchema: { required: ['text'], additionalProperties: false },
      },
    ]);
  });

  it('has only what the agent is to know of', () => {
    expect(tools.list(ofSubuser).map(({ name }) => name)).toEqual(['echo']);
  });

  it('never has two of the same name', () => {
    expect(() => new ToolRegistry([echo, echo])).toThrow('two tools have the same name');
  });
});

describe('a call', () => {
  it('gives the result as JSON', async () => {
    const outcome = await tools.call('echo', '{"text":"hi","times":2}', context);
    expect(outcome).toEqual({ resultJson: '{"said":"hihi"}', truncated: false, isError: false });
  });

  it('without arguments, of a tool without a result, gives an empty one', async () => {
    expect(await tools.call('a_secret', ' ', context)).toMatchObject({ resultJson: '{}' });
  });

  it.each(['nothing', '', 'constructor', '__proto__', 'Echo'])(
    'of %p is of no known tool',
    async (name) => {
      const message = `There is no tool ${JSON.stringify(name)}`;
      await expect(tools.call(name, '{}', context)).rejects.toEqual(
        new AppError('NOT_FOUND', message),
      );
    },
  );

  it.each([
    ['no object', '[]', 'arguments'],
    ['null', 'null', 'arguments'],
    ['a field too many', '{"text":"hi","loud":true}', 'arguments'],
    ['a prototype', '{"text":"hi","__proto__":{}}', 'arguments'],
    ['a field too few', '{}', 'text'],
    ['another type', '{"text":1}', 'text'],
    ['a value out of range', '{"text":"hi","times":0}', 'times'],
  ])('with %s names the field', async (_, json, field) => {
    const error = await tools.call('echo', json, context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { fields: [{ field }] } });
  });

  it.each(['{', '{"text":"hi"', 'text', "{'text':'hi'}"])('with %p is not JSON', async (json) => {
    await expect(tools.call('echo', json, context)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'arguments_json is not JSON',
    });
  });

  it('with arguments beyond measure is refused unread', async () => {
    await expect(tools.call('echo', ' '.repeat(262_145), context)).rejects.toMatchObject({
      message: 'arguments_json is too long',
    });
  });

  it('is refused to whom it is not for, listed or not', async () => {
    await expect(tools.call('a_secret', '{}', testContext(ofSubuser))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('has a result of 8,000 characters at most, and a note of what was cut', async () => {
    const fits = await tools.call('echo', JSON.stringify({ text: 'x'.repeat(7_989) }), context);
    expect(fits).toMatchObject({ truncated: false });
    const text = 'x'.repeat(10_000);
    const cut = await tools.call('echo', JSON.stringify({ text }), context);
    expect(cut.truncated).toBe(true);
    const note = '… [cut: 2011 of 10011 characters left out]';
    expect(JSON.parse(cut.resultJson)).toBe(`{"said":"${'x'.repeat(7_991)}${note}`);
  });
});

describe('a call by a model', () => {
  it('reads what went wrong as a result', async () => {
    const outcome = await tools.answer('echo', '{"loud":true}', context);
    expect(outcome).toMatchObject({ isError: true, truncated: false });
    expect(JSON.parse(outcome.resultJson)).toMatchObject({
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('loud') },
    });
  });

  it('hears nothing of the inner life of a tool', async () => {
    const broken = new ToolRegistry([failing(new Error('password 1234'))]);
    const outcome = await broken.answer('fail', '{}', context);
    expect(JSON.parse(outcome.resultJson)).toEqual({
      error: { code: 'INTERNAL', message: 'Internal error' },
    });
  });

  it.each(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'] as const)(
    'is repeated, not answered, when nobody knows what became of it: %s',
    async (code) => {
      const thrown = new AppError(code, 'who knows');
      const away = new ToolRegistry([failing(thrown)]);
      await expect(away.answer('fail', '{}', context)).rejects.toBe(thrown);
    },
  );

  it('ends without a result when the turn does', async () => {
    const thrown = new AppError('NOT_FOUND', 'gone');
    const signal = AbortSignal.abort();
    const ending = new ToolRegistry([failing(thrown)]);
    const call = ending.answer('fail', '{}', testContext(testAgent(), { signal }));
    await expect(call).rejects.toBe(thrown);
  });
});
