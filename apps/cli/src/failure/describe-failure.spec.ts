import { describe, expect, it } from '@jest/globals';
import { AppError, errorCodes, type ErrorCode, type ErrorDetails } from '@daycare/errors';
import { CallFailure } from './call-failure';
import { describeFailure } from './describe-failure';
import { exitCodeOf, exitCodes } from './exit-codes';
import { Failure } from './failure';

const failed = (code: ErrorCode, message = 'friend not found', details: ErrorDetails = {}) =>
  new CallFailure('social-graph', '127.0.0.1:1', 'work', new AppError(code, message, details));

describe('describeFailure', () => {
  it.each([
    ['INVALID_ARGUMENT', 2],
    ['NOT_FOUND', 3],
    ['UNAUTHENTICATED', 4],
    ['PERMISSION_DENIED', 4],
    ['FAILED_PRECONDITION', 5],
    ['CONFLICT', 5],
    ['RATE_LIMITED', 5],
    ['UNAVAILABLE', 6],
    ['DEADLINE_EXCEEDED', 6],
    ['INTERNAL', 1],
    ['UNIMPLEMENTED', 1],
  ] as const)('ends %s with %d', (code, exitCode) => {
    expect(describeFailure(failed(code)).exitCode).toBe(exitCode);
  });

  it('has an exit code for every way to fail, and none of them says that it worked', () => {
    expect(errorCodes.map((code) => exitCodeOf[code])).not.toContain(exitCodes.ok);
  });

  it('says what is wrong and what the command knows to do about it', () => {
    const hints = { NOT_FOUND: 'Check the nametag.' };
    expect(describeFailure(failed('NOT_FOUND'), hints).lines).toEqual([
      'Friend not found.',
      'Check the nametag.',
    ]);
  });

  it('says from when on a call is allowed, before anything else', () => {
    const details = {
      retryAfterMs: 6.5 * 86_400_000,
      metadata: { allowed_at: '2026-11-23T10:00:00.000Z' },
    };
    const failure = failed('FAILED_PRECONDITION', 'You may not ask yet', details);
    expect(describeFailure(failure, { FAILED_PRECONDITION: 'Wait.' }).lines).toEqual([
      'You may not ask yet.',
      'Allowed from 2026-11-23T10:00:00.000Z, in 7 days.',
    ]);
  });

  it('reckons the time where a service gives only a delay', () => {
    const failure = failed('RATE_LIMITED', 'Too many requests', { retryAfterMs: 1_000 });
    expect(describeFailure(failure, {}, new Date(0)).lines[1]).toBe(
      'Allowed from 1970-01-01T00:00:01.000Z, in 1 second.',
    );
  });

  it('names every field that is wrong, in one line', () => {
    const fields = [
      { field: 'name', description: 'is required' },
      { field: 'schedule', description: 'is not a schedule' },
    ];
    const failure = failed('INVALID_ARGUMENT', 'name is required', { fields });
    expect(describeFailure(failure, { INVALID_ARGUMENT: 'See --help.' }).lines).toEqual([
      'Name is required. Schedule is not a schedule.',
      'See --help.',
    ]);
  });

  it('names the service that does not answer, and the context whose token is refused', () => {
    expect(describeFailure(failed('UNAVAILABLE')).lines[0]).toBe(
      'social-graph at 127.0.0.1:1 does not answer.',
    );
    expect(describeFailure(failed('UNAUTHENTICATED', 'no')).lines[1]).toContain('"work"');
  });

  it('does not advise to sign in when the token is that of DAYCARE_TOKEN', () => {
    const { error } = failed('UNAUTHENTICATED', 'token is not valid');
    const failure = new CallFailure('identity', 'h:1', 'work', error, { isGiven: true });
    expect(describeFailure(failure).lines).toEqual([
      'Token is not valid.',
      'DAYCARE_TOKEN is not accepted; unset it or give a new one.',
    ]);
  });

  it('shows where it happened only for a bug of ours', () => {
    expect(describeFailure(new Error('oops')).lines[0]).toMatch(/^Error: oops\n\s+at /);
    const failure = new Failure(exitCodes.notFound, 'There is none.', 'Make one.');
    expect(describeFailure(failure)).toEqual({
      exitCode: 3,
      lines: ['There is none.', 'Make one.'],
    });
  });
});
