import { describe, expect, it } from '@jest/globals';
import { noColours } from '../terminal/colours';
import { renderStep } from './demo-view';
import { addFacts, checkResult, isExpected } from './check-step';
import { story, type ExpectedMessage, type Facts } from './story';

const notFound = { error: { code: 'NOT_FOUND', message: 'Nametag not found' } };

describe('checkResult', () => {
  it.each([
    [
      'accepts a result with the expected fields',
      { status: 'friends' },
      { status: 'friends', nametag: 'x1' },
      undefined,
    ],
    [
      'reports a field with the wrong value',
      { status: 'friends' },
      { status: 'pending_out' },
      /expected status to be friends/,
    ],
    ['reports an unexpected error', {}, notFound, /unexpected error NOT_FOUND/],
    ['accepts the expected error', { refusal: 'NOT_FOUND' }, notFound, undefined],
    [
      'reports an error other than the expected one',
      { refusal: 'PERMISSION_DENIED' },
      notFound,
      /expected PERMISSION_DENIED/,
    ],
    ['reports a missing error', { refusal: 'NOT_FOUND' }, { status: 'ok' }, /expected NOT_FOUND/],
  ])('%s', (_, expects, result, problem) => {
    const reported = checkResult({ expects }, result);
    if (problem) expect(reported).toMatch(problem);
    else expect(reported).toBeUndefined();
  });
});

describe('addFacts', () => {
  it('adds fields from a result to the known facts', () => {
    const step = { facts: { helper: 'nametag' } };
    expect(addFacts(step, { nametag: 'puma9' }, { Ada: 'a1' })).toEqual({
      Ada: 'a1',
      helper: 'puma9',
    });
  });
});

describe('isExpected', () => {
  const expectedMessage: ExpectedMessage = {
    to: 'Bob',
    origin: ({ Ada = '' }) => `friend:${Ada}`,
    contains: () => ['friend_add'],
  };
  const facts: Facts = { Ada: 'otter7' };

  it.each([
    ['friend:otter7', 'To accept: friend_add("otter7")', true],
    ['friend:otter8', 'To accept: friend_add("otter8")', false],
    ['friend:otter7', 'Hello', false],
  ])('for a message from %s with the text %j, returns %s', (origin, text, expected) => {
    expect(isExpected(expectedMessage, { origin, text }, facts)).toBe(expected);
  });
});

describe('renderStep', () => {
  it('shows who does what, the result, the received message and the problem', () => {
    const step = {
      title: 'Bob accepts',
      who: 'Bob',
      nametag: 'puma9',
      tool: 'friend_add',
      arguments: { nametag: 'otter7' },
      result: { summary: 'You are now friends' },
      received: { who: 'Ada', origin: 'friend:puma9', text: 'accepted\nyour request' },
      ok: false,
      problem: 'expected status to be friends',
      tookMs: 120,
    };
    expect(renderStep(step, 2, { colours: noColours, width: 80 }).split('\n')).toEqual([
      '✘ 2. Bob accepts 0.1 s',
      '   Bob (puma9): friend_add {"nametag":"otter7"}',
      '   → You are now friends',
      '   Ada receives from friend:puma9: accepted your request',
      '   Failed: expected status to be friends.',
    ]);
  });
});

describe('the story', () => {
  it('uses the tools for friendships, messages and sharing, and each step needs only facts known from the start or added by earlier steps', () => {
    expect(new Set(story.map(({ tool }) => tool))).toEqual(
      new Set([
        'friend_add',
        'friend_send',
        'friend_remove',
        'friend_share_subuser',
        'friend_unshare_subuser',
        'subuser_create',
      ]),
    );
    let facts: Facts = { Ada: 'ada1', Bob: 'bob1', AdaAgent: 'a', BobAgent: 'b' };
    for (const step of story) {
      expect(Object.values(step.args(facts))).not.toContain('');
      const result = Object.values(step.facts ?? {}).map((field) => [field, `the ${field}`]);
      facts = addFacts(step, Object.fromEntries(result), facts);
    }
  });
});
