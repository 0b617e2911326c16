import { expect, it } from '@jest/globals';
import { maxResultCharacters, resultOf, type EndedRun } from './run-result';

const ended = (overrides: Partial<EndedRun>): EndedRun => ({
  outcome: 'answered',
  answer: '',
  files: [],
  ...overrides,
});
const resultText = (run: EndedRun, hadFailedBefore: boolean): string | undefined =>
  resultOf(run, hadFailedBefore)?.text;

it.each([
  ['Tea is ready.', 'Tea is ready.'],
  [' Nothing is ready. ', 'Nothing is ready.'],
])('the person sees a run’s answer %j as %j', (answer, shown) => {
  expect(resultText(ended({ answer }), false)).toBe(shown);
});

it.each(['nothing', 'Nothing.', '**NOTHING**', '`nothing to report`', ' \n'])(
  'a run’s answer %j is not shown to the person',
  (answer) => {
    expect(resultText(ended({ answer }), false)).toBeUndefined();
  },
);

it.each(['running', 'stopped', 'skipped', 'replaced'] as const)(
  'a run with the outcome "%s" shows the person nothing',
  (outcome) => {
    expect(resultText(ended({ outcome, answer: 'half' }), false)).toBeUndefined();
  },
);

it('a run’s failure is shown with its reason, but not again when the next run fails too', () => {
  const failed = ended({ outcome: 'failed', reason: 'the key is wrong.' });
  expect(resultText(failed, false)).toBe('This run failed: the key is wrong.');
  expect(resultText(failed, true)).toBeUndefined();
  expect(resultText(ended({ outcome: 'failed' }), false)).toBe('This run failed.');
});

it('a run’s long answer is truncated without splitting a character', () => {
  const text = resultText(ended({ answer: `x${'🦊'.repeat(maxResultCharacters)}` }), false);
  expect(text).toBe(`x${'🦊'.repeat(maxResultCharacters / 2 - 1)}…`);
});

const plan = {
  id: 'f1',
  name: 'plan.txt',
  mimeType: 'text/plain',
  size: 3,
  text: 'Tea',
  isWhole: true,
} as const;
const chart = {
  id: 'f2',
  name: 'a.png',
  mimeType: 'image/png',
  size: 9,
  dimensions: { width: 1, height: 1 },
};

it.each([
  ['Here they are', 'Here they are'],
  ['nothing', ''],
  ['', ''],
])('a run with the answer %j shows its files, but not the text in them', (answer, text) => {
  const { text: _text, isWhole: _isWhole, ...unread } = plan;
  const result = resultOf(ended({ answer, files: [plan, chart] }), false);
  expect(result).toEqual({ text, files: [unread, chart] });
});

it.each(['failed', 'stopped', 'replaced'] as const)(
  'files from a run with the outcome "%s" are not shown',
  (outcome) => {
    expect(resultOf(ended({ outcome, files: [plan] }), false)?.files ?? []).toEqual([]);
  },
);
