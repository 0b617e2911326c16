import { describe, expect, it } from '@jest/globals';
import { AppError, errorCodes, type ErrorCode, type ErrorDetails } from '@daycare/api';
import { CallFailure } from './call-failure';
import { describeFailure, toErrorJson } from './describe-failure';
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
  ] as const)('maps %s to exit code %d', (code, exitCode) => {
    expect(describeFailure(failed(code)).exitCode).toBe(exitCode);
  });

  it('maps every error code to an exit code other than success', () => {
    expect(errorCodes.map((code) => exitCodeOf[code])).not.toContain(exitCodes.ok);
  });

  it("says what is wrong, then the command's own hint", () => {
    const hints = { NOT_FOUND: 'Check the nametag.' };
    expect(describeFailure(failed('NOT_FOUND'), { hints }).lines).toEqual([
      'Friend not found.',
      'Check the nametag.',
    ]);
  });

  it('shows when a call will be allowed, in place of the hint', () => {
    const details = {
      retryAfterMs: 6.5 * 86_400_000,
      metadata: { allowed_at: '2026-11-23T10:00:00.000Z' },
    };
    const failure = failed('FAILED_PRECONDITION', 'You may not ask yet', details);
    expect(describeFailure(failure, { hints: { FAILED_PRECONDITION: 'Wait.' } }).lines).toEqual([
      'You may not ask yet.',
      'You can try again in 7 days, at 2026-11-23T10:00:00.000Z.',
    ]);
  });

  it('does not repeat a time that the message already names', () => {
    const details = {
      retryAfterMs: 3_600_000,
      metadata: { allowed_at: '2026-11-23T10:00:00.000Z' },
    };
    const failure = failed('FAILED_PRECONDITION', 'Again from 2026-11-23T10:00:00.000Z', details);
    expect(describeFailure(failure).lines[1]).toBe('That is in 1 hour.');
  });

  it('computes when a call will be allowed if the service states only a delay', () => {
    const failure = failed('RATE_LIMITED', 'Too many requests', { retryAfterMs: 1_000 });
    expect(describeFailure(failure, { now: new Date(0) }).lines[1]).toBe(
      'You can try again in 1 second, at 1970-01-01T00:00:01.000Z.',
    );
  });

  it('names every invalid field, using the name of its option where there is one', () => {
    const fields = [
      { field: 'message_id', description: 'is required' },
      { field: 'schedule', description: 'is not a schedule' },
    ];
    const failure = failed('INVALID_ARGUMENT', 'The message id is required', { fields });
    const hints = { INVALID_ARGUMENT: 'See --help.' };
    expect(describeFailure(failure, { hints }).lines).toEqual([
      'The message id is required. The schedule is not a schedule.',
      'See --help.',
    ]);
    const findOption = (field: string) => (field === 'schedule' ? '--schedule' : undefined);
    expect(describeFailure(failure, { findOption }).lines).toEqual([
      'The message id is required. --schedule is not a schedule.',
    ]);
    const other = failed('INVALID_ARGUMENT', 'The message cannot be sent', { fields });
    expect(describeFailure(other).lines).toEqual([
      'The message cannot be sent. The message id is required. The schedule is not a schedule.',
    ]);
  });

  it('names the unresponsive service, and the context whose token was rejected', () => {
    expect(describeFailure(failed('UNAVAILABLE')).lines[0]).toBe(
      'social-graph at 127.0.0.1:1 is not responding.',
    );
    expect(describeFailure(failed('UNAUTHENTICATED', 'no')).lines[1]).toContain('"work"');
  });

  it('does not advise signing in when the token came from DAYCARE_TOKEN', () => {
    const error = new AppError('UNAUTHENTICATED', 'token is not valid');
    const failure = new CallFailure('identity', 'h:1', 'work', error, true);
    expect(describeFailure(failure).lines).toEqual([
      'Token is not valid.',
      'DAYCARE_TOKEN was rejected; unset it or set a new one.',
    ]);
  });

  it('shows a stack trace for an unexpected error, but for a Failure only its message, its hint and the help', () => {
    expect(describeFailure(new Error('oops')).lines[0]).toMatch(/^Error: oops\n\s+at /);
    const failure = new Failure(exitCodes.notFound, 'There is none.', 'Make one.');
    expect(describeFailure(failure)).toMatchObject({
      exitCode: 3,
      lines: ['There is none.', 'Make one.'],
    });
    expect(describeFailure(failure, { help: 'daycare cron show --help' }).lines).toEqual([
      'There is none.',
      'Make one.',
      'Help: daycare cron show --help',
    ]);
    expect(JSON.parse(toErrorJson(describeFailure(failure)))).toEqual({
      error: { message: 'There is none.', hint: 'Make one.', exitCode: 3 },
    });
  });
});
