import { describe, expect, it } from '@jest/globals';
import { noColours } from '../terminal/colours';
import { renderStep } from './demo-view';
import { isHeard, judgeResult, learn } from './judge-step';
import { story, type Facts, type Hearing } from './story';

const refused = { error: { code: 'NOT_FOUND', message: 'Nametag not found' } };

describe('the answer of a tool', () => {
  it.each([
    [
      'has what it should have',
      { status: 'friends' },
      { status: 'friends', nametag: 'x1' },
      undefined,
    ],
    [
      'has something else',
      { status: 'friends' },
      { status: 'pending_out' },
      /status should be friends/,
    ],
    ['is a refusal out of place', {}, refused, /not be refused \(NOT_FOUND\)/],
    ['is the refusal it should be', { refusal: 'NOT_FOUND' }, refused, undefined],
    ['is another refusal', { refusal: 'PERMISSION_DENIED' }, refused, /with PERMISSION_DENIED/],
    ['is no refusal', { refusal: 'NOT_FOUND' }, { status: 'ok' }, /should be refused/],
  ])('%s', (_, gives, result, problem) => {
    const found = judgeResult({ gives }, result);
    if (problem) expect(found).toMatch(problem);
    else expect(found).toBeUndefined();
  });

  it('adds to what is known', () => {
    expect(learn({ learns: { helper: 'nametag' } }, { nametag: 'puma9' }, { Ada: 'a1' })).toEqual({
      Ada: 'a1',
      helper: 'puma9',
    });
  });
});

describe('what somebody is to hear', () => {
  const hearing: Hearing = {
    who: 'Bob',
    origin: ({ Ada = '' }) => `friend:${Ada}`,
    about: () => ['friend_add'],
  };
  const facts: Facts = { Ada: 'otter7' };

  it.each([
    ['friend:otter7', 'To accept: friend_add("otter7")', true],
    ['friend:otter8', 'To accept: friend_add("otter8")', false],
    ['friend:otter7', 'Hello', false],
  ])('from %s, %j: %s', (origin, text, expected) => {
    expect(isHeard(hearing, { origin, text }, facts)).toBe(expected);
  });
});

describe('a step on the screen', () => {
  it('says who does what, what came of it, what the other hears, and what is wrong', () => {
    const step = {
      title: 'Bob accepts',
      who: 'Bob',
      nametag: 'puma9',
      tool: 'friend_add',
      arguments: { nametag: 'otter7' },
      result: { summary: 'You are now friends' },
      heard: { who: 'Ada', origin: 'friend:puma9', text: 'accepted\nyour request' },
      ok: false,
      problem: 'status should be friends',
      tookMs: 120,
    };
    expect(renderStep(step, 2, { colours: noColours, width: 80 }).split('\n')).toEqual([
      '✘ 2. Bob accepts 0.1 s',
      '   Bob (puma9): friend_add {"nametag":"otter7"}',
      '   → You are now friends',
      '   Ada hears from friend:puma9: accepted your request',
      '   But status should be friends.',
    ]);
  });
});

describe('the story', () => {
  it('uses every tool of friendship and sharing, and only facts that are known by then', () => {
    expect(new Set(story.map(({ tool }) => tool))).toEqual(
      new Set([
        'friend_add',
        'friend_send',
        'friend_remove',
        'friend_share_subuser',
        'friend_unshare_subuser',
        'subuser_create',
        'send_agent_message',
      ]),
    );
    let facts: Facts = { Ada: 'ada1', Bob: 'bob1', AdaAgent: 'a', BobAgent: 'b' };
    for (const step of story) {
      expect(Object.values(step.args(facts))).not.toContain('');
      const result = Object.values(step.learns ?? {}).map((field) => [field, `the ${field}`]);
      facts = learn(step, Object.fromEntries(result), facts);
    }
  });
});
