import { expect, it } from '@jest/globals';
import { maxResultCharacters, resultText, type EndedRun } from './run-result';

const ended = (overrides: Partial<EndedRun>): EndedRun => ({
  outcome: 'answered',
  answer: '',
  ...overrides,
});

it.each([
  ['Tea is ready.', 'Tea is ready.'],
  [' Nothing is ready. ', 'Nothing is ready.'],
  ['nothing', undefined],
  ['Nothing.', undefined],
  ['**NOTHING**', undefined],
  ['`nothing to report`', undefined],
  [' \n', undefined],
])('the person sees the answer %j as %j', (answer, shown) => {
  expect(resultText(ended({ answer }), false)).toBe(shown);
});

it.each(['running', 'stopped', 'skipped', 'replaced'] as const)(
  'a run that was %s shows nothing',
  (outcome) => {
    expect(resultText(ended({ outcome, answer: 'half' }), false)).toBeUndefined();
  },
);

it('a failure is shown with its reason, and not again while it lasts', () => {
  const failed = ended({ outcome: 'failed', reason: 'the key is wrong.' });
  expect(resultText(failed, false)).toBe('This run failed: the key is wrong.');
  expect(resultText(failed, true)).toBeUndefined();
  expect(resultText(ended({ outcome: 'failed' }), false)).toBe('This run failed.');
});

it('a long answer is cut between characters', () => {
  const text = resultText(ended({ answer: `x${'🦊'.repeat(maxResultCharacters)}` }), false);
  expect(text).toBe(`x${'🦊'.repeat(maxResultCharacters / 2 - 1)}…`);
});
