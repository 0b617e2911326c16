import { describe, expect, it } from '@jest/globals';
import { AppError, describeViolation, type FieldViolation } from './app-error';
import { FieldChecks } from './field-checks';

function violations(check: (checks: FieldChecks) => FieldChecks): readonly FieldViolation[] {
  try {
    check(new FieldChecks()).done();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe('INVALID_ARGUMENT');
    return error.details.fields ?? [];
  }
}

describe('FieldChecks', () => {
  it('lists every invalid field and describes the first one in the error message', () => {
    const checks = new FieldChecks().requestId('').line('', 'name', { min: 1, max: 10 });
    expect(() => checks.done()).toThrow('The request id is required');
    expect(violations((c) => c.requestId('').line('', 'name', { min: 1, max: 10 }))).toEqual([
      { field: 'request_id', description: 'is required' },
      { field: 'name', description: 'must be 1 to 10 characters, got 0' },
    ]);
  });

  it.each(['a', 'a'.repeat(128), 'd2f1-77/x~'])('accepts the request id %p', (value) => {
    expect(violations((c) => c.requestId(value))).toEqual([]);
  });

  it.each(['with space', 'a'.repeat(129), 'naïve', 'nul\u0000'])(
    'refuses the request id %p',
    (value) => {
      expect(violations((c) => c.requestId(value))).toHaveLength(1);
    },
  );

  it.each(['ck9x', 'a'.repeat(64)])('accepts the id %p', (value) => {
    expect(violations((c) => c.id(value, 'user_id'))).toEqual([]);
  });

  it.each(['', 'A1', '$ne', 'a'.repeat(65), 'a b', '../x'])('refuses the id %p', (value) => {
    expect(violations((c) => c.id(value, 'user_id'))).toHaveLength(1);
  });

  it('measures the length of a trimmed text in characters, not in code units', () => {
    expect(violations((c) => c.line('  🦊🦊🦊  ', 'name', { min: 3, max: 3 }))).toEqual([]);
  });

  it('accepts page sizes up to 1,000, and 0 for the default', () => {
    expect([0, 7, 1_000].map((size) => new FieldChecks().pageSize(size))).toEqual([100, 7, 1_000]);
    expect(violations((c) => (c.pageSize(1_001), c.pageSize(-1), c))).toHaveLength(2);
  });

  it.each(['a\nb', 'a\u0000b', 'a\u0085b', 'half \ud83e'])(
    'refuses %p in a single-line field',
    (value) => {
      expect(violations((c) => c.line(value, 'name', { min: 1, max: 10 }))).toHaveLength(1);
    },
  );
});

it.each([
  ['name', 'The name is required'],
  ['message_id', 'The message id is required'],
  ['rules[3].tool_name', 'The rules[3] tool name is required'],
  ['format', 'The format is required'],
  ['expires_at', '"expires_at" is required'],
  ['from_day', '"from_day" is required'],
  ['group_by[0]', '"group_by[0]" is required'],
  ['grant.expires_at', '"grant.expires_at" is required'],
])('the message for a missing %s is %j', (field, text) => {
  expect(describeViolation({ field, description: 'is required' })).toBe(text);
});
