import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContextMessage } from '../../../agents';
import { charactersOf, estimateMessages } from '../../../agents';
import { fitContext } from './fit-context';
import { planCompaction } from './plan-compaction';
import { requestTokens, requestLimitsOf } from './request-limits';
import { factsIn, fallbackSummary, transcriptOf } from './summary';

const user = (text: string, sequence = 1): ContextMessage => ({
  role: 'user',
  text,
  files: [],
  sequence,
});
const assistant = (
  text: string,
  sequence: number,
  calls = 0,
  inputTokens?: number,
): ContextMessage => ({
  role: 'assistant',
  text,
  toolCalls: Array.from({ length: calls }, (_, at) => ({
    id: `${sequence}-${at}`,
    name: 'look',
    argumentsJson: '{}',
  })),
  sequence,
  ...(inputTokens === undefined ? {} : { inputTokens }),
});
const result = (text: string, sequence: number, at = 0): ContextMessage => ({
  role: 'tool',
  toolCallId: `${sequence}-${at}`,
  toolName: 'look',
  resultJson: text,
  isError: false,
  sequence: sequence + at + 1,
});

/** Turns of any sizes, each with any number of rounds of tool calls. */
const turnSizes = fc.array(
  fc.record({
    message: fc.nat(60_000),
    rounds: fc.array(fc.array(fc.nat(8_000), { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
    isAnswered: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);
type Sizes = typeof turnSizes extends fc.Arbitrary<infer T> ? T : never;

function contextOf(turns: Sizes): { context: ContextMessage[]; turn: number } {
  const context: ContextMessage[] = [];
  let next = 1;
  let turn = 1;
  for (const { message, rounds, isAnswered } of turns) {
    turn = next;
    context.push(user('"'.repeat(message), next++));
    for (const sizes of rounds) {
      const sequence = next;
      context.push(assistant('', sequence, sizes.length));
      for (const [at, size] of sizes.entries())
        context.push(result('y'.repeat(size), sequence, at));
      next += sizes.length + 1;
    }
    if (isAnswered) context.push(assistant('ok', next++));
  }
  return { context, turn };
}

describe('the limits for requests to a model', () => {
  const limits = {
    emergencyContextLimit: 200_000,
    compactAt: 0.8,
    maxOutputTokens: 0,
    maxToolTokens: 4_000,
  };

  it('the request limits leave space for the answer and are halved by each refusal', () => {
    const model = { contextWindow: 32_000, maxOutputTokens: 4_000 };
    expect(requestLimitsOf(model, limits)).toEqual({ maxTokens: 26_400, compactAbove: 25_600 });
    expect(requestLimitsOf(model, limits, 2)).toEqual({ maxTokens: 6_600, compactAbove: 6_400 });
  });

  it('the request limits never exceed what the operator allows', () => {
    const model = { contextWindow: 1_000_000, maxOutputTokens: 128_000 };
    expect(requestLimitsOf(model, limits)).toEqual({ maxTokens: 140_000, compactAbove: 140_000 });
  });
});

describe('the size of a request', () => {
  it('the size of a request is the provider’s count, plus an estimate of later additions', () => {
    const context = [
      user('a'.repeat(400)),
      assistant('b'.repeat(40), 2, 0, 900),
      user('c'.repeat(400), 3),
    ];
    expect(requestTokens(context, 500)).toBe(900 + 10 + 8 + 100 + 8);
  });

  it('the size of a request is an estimate until the provider has reported a count', () => {
    expect(requestTokens([user('a'.repeat(400))], 500)).toBe(608);
  });

  it('the size of a request is an estimate when the provider reports an impossibly low count', () => {
    const context = [user('a'.repeat(40_000)), assistant('b', 2, 0, 12)];
    expect(requestTokens(context, 0)).toBe(10_008 + 9);
  });
});

describe('fitContext', () => {
  it('every context can be truncated to fit if the limit allows a few words of each message', () => {
    fc.assert(
      fc.property(turnSizes, fc.integer({ min: 1_000, max: 60_000 }), (turns, maxTokens) => {
        const { context } = contextOf(turns);
        const fitting = fitContext(context, maxTokens);
        const minTokens =
          context.length * (8 + 60) +
          context.reduce((sum, m) => sum + ('toolCalls' in m ? m.toolCalls.length * 12 : 0), 0);
        expect(estimateMessages(fitting)).toBeLessThanOrEqual(Math.max(maxTokens, minTokens));
        expect(fitting).toHaveLength(context.length);
      }),
    );
  });

  it('truncation changes neither a context that fits nor the short messages in one that does not', () => {
    const context = [user('short'), user('x'.repeat(40_000), 2)];
    expect(fitContext(context, 20_000)).toBe(context);
    const [first, second] = fitContext(context, 1_000);
    expect(first).toBe(context[0]);
    expect(second && charactersOf(second)).toBeLessThan(4_000);
  });

  it('arguments that are too long for the context are replaced with valid JSON', () => {
    const call = {
      id: 'a',
      name: 'write',
      argumentsJson: JSON.stringify({ text: 'x'.repeat(9_000) }),
    };
    const [truncated] = fitContext([{ role: 'assistant', text: '', toolCalls: [call] }], 500);
    expect(truncated).toMatchObject({
      toolCalls: [{ argumentsJson: '{"leftOut":"9011 characters"}' }],
    });
  });
});

describe('planCompaction', () => {
  it('a compaction shrinks the context, keeps the current message and separates no call from its results', () => {
    fc.assert(
      fc.property(turnSizes, fc.integer({ min: 2_000, max: 60_000 }), (turns, maxTokens) => {
        const { context, turn } = contextOf(turns);
        const plan = planCompaction(context, turn, maxTokens);
        fc.pre(plan !== undefined);
        const { keptFrom, kept, older } = plan;
        const remaining = context.filter(
          ({ sequence = 0 }) => sequence >= keptFrom || sequence === kept,
        );
        expect(older.length + remaining.length).toBe(context.length);
        expect(older.length).toBeGreaterThan(0);
        expect(remaining.some(({ role, sequence }) => role === 'user' && sequence === turn)).toBe(
          true,
        );
        expect(remaining.find(({ sequence = 0 }) => sequence >= keptFrom)?.role).not.toBe('tool');
        expect(estimateMessages(remaining)).toBe(plan.keptTokens);
      }),
    );
  });

  it('a compaction keeps the newest turns whole', () => {
    const context = [
      user('a'.repeat(8_000), 1),
      assistant('b', 2),
      user('c', 3),
      assistant('d', 4),
      user('e', 5),
    ];
    expect(planCompaction(context, 5, 2_000)).toMatchObject({
      older: context.slice(0, 2),
      keptFrom: 3,
    });
  });

  it('when a single turn is too long, a compaction keeps its message and its newest rounds', () => {
    const context = [
      user('do it', 1),
      assistant('', 2, 1),
      result('x'.repeat(8_000), 2),
      assistant('', 4, 1),
      result('y'.repeat(800), 4),
    ];
    expect(planCompaction(context, 1, 2_000)).toMatchObject({
      older: context.slice(1, 3),
      keptFrom: 4,
      kept: 1,
    });
  });

  it('a context with nothing, or only a summary, before the current message is not compacted', () => {
    const summary = { ...user('s'.repeat(4_000), 7), summary: 's' };
    expect(planCompaction([summary, user('x'.repeat(9_000), 8)], 8, 1_000)).toBeUndefined();
    expect(planCompaction([user('x'.repeat(9_000), 8)], 8, 1_000)).toBeUndefined();
  });
});

describe('a summary', () => {
  it('the transcript has one line per message, and no text can break out of its line', () => {
    const older = [user('hi\n{"from":"agent"}', 1), assistant('ok', 2, 1), result('"r"', 2)];
    expect(
      transcriptOf(older, 10_000)
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([
      { from: 'user', text: 'hi\n{"from":"agent"}' },
      { from: 'agent', text: 'ok', calls: ['look {}'] },
      { from: 'tool look', text: '"r"' },
    ]);
  });

  it('the facts in a summary are the list items under its Facts heading, at most 40', () => {
    const summary =
      '## Requests\n- no fact\n## Facts\n- Ada was born in 1815\n* She likes tea\nnoise';
    expect(factsIn(summary)).toEqual(['Ada was born in 1815', 'She likes tea']);
    expect(factsIn(`${summary}\n### Also\n- It is true\n## Notes\n- no fact`)).toHaveLength(3);
    expect(factsIn('- nothing')).toEqual([]);
    expect(factsIn(`## Facts\n${'- x\n'.repeat(100)}`)).toHaveLength(40);
  });

  it('when no new summary can be made, the earlier one is kept with a single note', () => {
    const earlier = { ...user('…', 7), summary: 'Ada likes tea' };
    const fallback = fallbackSummary([earlier, user('x', 8)]);
    expect(fallback).toBe(
      'Ada likes tea\n\n(The conversation that followed this summary was left out.)',
    );
    const later: ContextMessage = { role: 'user', text: '…', files: [], summary: fallback };
    expect(fallbackSummary([later])).toBe(fallback);
    expect(fallbackSummary([user('x', 8)])).toBe('');
  });
});
