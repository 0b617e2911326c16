import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  asAnswered,
  hearersOf,
  isPattern,
  isSignalType,
  matchesPattern,
  patternExpression,
  signalText,
  type Signal,
} from './signal';

const few = fc.constantFrom('a', 'b', 'aa', 'a.b', '$', '(', 'ä', '\\', '[x-z]');
const types = fc.array(few, { minLength: 1, maxLength: 4 });
const patterns = fc.array(fc.oneof(few, fc.constant('*')), { minLength: 1, maxLength: 4 });

/** Eats one segment after the other. */
function naive([wanted, ...patternRest]: string[], [given, ...typeRest]: string[]): boolean {
  if (wanted === undefined || given === undefined) return wanted === given;
  return (wanted === '*' || wanted === given) && naive(patternRest, typeRest);
}

const signal: Signal = {
  id: 's1',
  userId: 'u1',
  type: 'build:done',
  dataJson: '{"ok":true}',
  agentId: 'a1',
  repeatKey: '',
  hops: 0,
  state: 'emitted',
  createdAt: new Date(0),
  dueAt: new Date(0),
};

describe('a pattern', () => {
  it('matches exactly what a segment by segment comparison does', () => {
    fc.assert(
      fc.property(patterns, types, (pattern, type) => {
        const [joinedPattern, joinedType] = [pattern.join(':'), type.join(':')];
        const expected = naive(pattern, type);
        expect(isPattern(joinedPattern) && isSignalType(joinedType)).toBe(true);
        expect(matchesPattern(joinedPattern, joinedType)).toBe(expected);
        expect(patternExpression(joinedPattern).test(joinedType)).toBe(expected);
      }),
    );
  });

  it.each([
    ['build:*', 'build:done', true],
    ['build:*', 'build', false],
    ['build:*', 'build:done:late', false],
    ['*', 'build', true],
    ['*:*', 'build:done', true],
    ['build', 'Build', false],
  ])('%s against %s: %s', (pattern, type, expected) => {
    expect(matchesPattern(pattern, type)).toBe(expected);
  });

  it.each(['', ':', 'a:', ':a', 'a::b', 'a b', 'a:b*', '**', 'a\n', '\u202e', 'a'.repeat(201)])(
    'cannot be %j',
    (text) => {
      expect(isPattern(text)).toBe(false);
      expect(isSignalType(text)).toBe(false);
    },
  );

  it('is no type when it has a wildcard', () => {
    expect([isPattern('a:*'), isSignalType('a:*')]).toEqual([true, false]);
  });
});

describe('the hearers of a signal', () => {
  const subscribed = (agentId: string, pattern: string, silent = true) => ({
    agentId,
    pattern,
    silent,
  });

  it('are the agents whose pattern fits, without the one that emitted it', () => {
    const subscriptions = [
      subscribed('a1', 'build:*'),
      subscribed('a2', 'build:*'),
      subscribed('a3', 'deploy:*'),
    ];
    expect(hearersOf(signal, subscriptions)).toEqual([{ agentId: 'a2', silent: true }]);
  });

  it('hear it once, and not silently when one of their patterns says so', () => {
    const subscriptions = [
      subscribed('a2', '*:*'),
      subscribed('a2', 'build:done', false),
      subscribed('a2', 'build:*'),
    ];
    expect(hearersOf(signal, subscriptions)).toEqual([{ agentId: 'a2', silent: false }]);
  });

  it('are told the type, the emitter and the data as JSON', () => {
    expect(signalText(signal)).toBe('Signal build:done from agent a1\nData: {"ok":true}');
    expect(signalText({ ...signal, agentId: '', dataJson: '' })).toBe(
      'Signal build:done from the user',
    );
  });
});

it('a retry is answered as the first call was, whatever has become of the signal', () => {
  const delayed = { ...signal, dueAt: new Date(1) };
  expect(asAnswered({ ...delayed, state: 'emitted' }).state).toBe('waiting');
  expect(asAnswered({ ...delayed, state: 'replaced' }).state).toBe('waiting');
  expect(asAnswered(signal).state).toBe('emitted');
});
