import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  asFirstReturned,
  signalRecipients,
  isPattern,
  isSignalType,
  matchesPattern,
  patternExpression,
  signalText,
  type Signal,
} from './signal';

const segment = fc.constantFrom('a', 'b', 'aa', 'a.b', '$', '(', 'ä', '\\', '[x-z]');
const types = fc.array(segment, { minLength: 1, maxLength: 4 });
const patterns = fc.array(fc.oneof(segment, fc.constant('*')), { minLength: 1, maxLength: 4 });

/** A reference implementation that compares segment by segment. */
function matchesSegments(
  [patternSegment, ...patternRest]: string[],
  [typeSegment, ...typeRest]: string[],
): boolean {
  if (patternSegment === undefined || typeSegment === undefined)
    return patternSegment === typeSegment;
  const isMatch = patternSegment === '*' || patternSegment === typeSegment;
  return isMatch && matchesSegments(patternRest, typeRest);
}

const signal: Signal = {
  id: 's1',
  userId: 'u1',
  ownerUserId: 'u1',
  type: 'build:done',
  dataJson: '{"ok":true}',
  agentId: 'a1',
  repeatKey: '',
  hops: 0,
  trust: 'own',
  carriesPrivate: false,
  state: 'emitted',
  createdAt: new Date(0),
  dueAt: new Date(0),
};

describe('patterns', () => {
  it('a signal pattern matches exactly as a segment-by-segment comparison does', () => {
    fc.assert(
      fc.property(patterns, types, (pattern, type) => {
        const [joinedPattern, joinedType] = [pattern.join(':'), type.join(':')];
        const expected = matchesSegments(pattern, type);
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
  ])('the pattern %s matches %s: %s', (pattern, type, expected) => {
    expect(matchesPattern(pattern, type)).toBe(expected);
  });

  it.each(['', ':', 'a:', ':a', 'a::b', 'a b', 'a:b*', '**', 'a\n', '\u202e', 'a'.repeat(201)])(
    'rejects %j both as a signal pattern and as a signal type',
    (text) => {
      expect(isPattern(text)).toBe(false);
      expect(isSignalType(text)).toBe(false);
    },
  );

  it('a signal pattern with a wildcard is not a valid signal type', () => {
    expect([isPattern('a:*'), isSignalType('a:*')]).toEqual([true, false]);
  });
});

describe('delivery of a signal', () => {
  const subscribed = (agentId: string, pattern: string, silent = true) => ({
    agentId,
    pattern,
    silent,
  });

  it('a signal’s recipients are the agents with a matching pattern, except the emitter', () => {
    const subscriptions = [
      subscribed('a1', 'build:*'),
      subscribed('a2', 'build:*'),
      subscribed('a3', 'deploy:*'),
    ];
    expect(signalRecipients(signal, subscriptions)).toEqual([{ agentId: 'a2', silent: true }]);
  });

  it('a recipient receives a signal only once, and silently only if all of its matching subscriptions are silent', () => {
    const subscriptions = [
      subscribed('a2', '*:*'),
      subscribed('a2', 'build:done', false),
      subscribed('a2', 'build:*'),
    ];
    expect(signalRecipients(signal, subscriptions)).toEqual([{ agentId: 'a2', silent: false }]);
  });

  it('the text of a signal states its type, its emitter and, as JSON, its data', () => {
    expect(signalText(signal)).toBe('Signal build:done from agent a1\nData: {"ok":true}');
    expect(signalText({ ...signal, agentId: '', dataJson: '' })).toBe(
      'Signal build:done from the user',
    );
  });
});

it('a retried call returns the signal in the state that the first call returned, even if the state has changed since', () => {
  const delayed = { ...signal, dueAt: new Date(1) };
  expect(asFirstReturned({ ...delayed, state: 'emitted' }).state).toBe('waiting');
  expect(asFirstReturned({ ...delayed, state: 'replaced' }).state).toBe('waiting');
  expect(asFirstReturned(signal).state).toBe('emitted');
});
