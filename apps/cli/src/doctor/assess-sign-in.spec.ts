import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '@daycare/api';
import { CallFailure } from '../failure/call-failure';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { assessClock, assessConfigMode, assessRejectedToken } from './assess-sign-in';

const nowMs = Date.UTC(2030, 0, 1);
const token = (claims: object): string =>
  `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;
const inSeconds = (seconds: number): number => nowMs / 1_000 + seconds;
const rejected = (code: ErrorCode) =>
  new CallFailure('identity', 'host:1', 'ada', new AppError(code, 'No'));

describe('sign-in checks', () => {
  it.each([
    ['UNAUTHENTICATED', -60, 'fail', /has expired/],
    ['UNAUTHENTICATED', 60, 'fail', /was revoked/],
    ['NOT_FOUND', 60, 'fail', /no longer exists/],
    ['UNAVAILABLE', 60, 'warn', /cannot check the token/],
  ] as const)(
    'rates the error %s for a token that expires in %d s as %s',
    (code, seconds, status, found) => {
      const check = assessRejectedToken(rejected(code), token({ exp: inSeconds(seconds) }), nowMs);
      expect(check).toMatchObject({ status, found: expect.stringMatching(found) });
    },
  );

  it('reports an expired sign-in with the hint of the failure', () => {
    const failure = new Failure(exitCodes.refused, 'Your sign-in has expired.', 'Sign in.');
    expect(assessRejectedToken(failure, 'x', nowMs)).toMatchObject({
      status: 'fail',
      advice: 'Sign in.',
    });
  });

  it('advises replacing a rejected DAYCARE_TOKEN', () => {
    const error = new AppError('UNAUTHENTICATED', 'No');
    const failure = new CallFailure('identity', 'host:1', 'ada', error, true);
    expect(assessRejectedToken(failure, 'x', nowMs).advice).toBe(
      'Unset DAYCARE_TOKEN or set a new one.',
    );
  });

  it.each([
    [-3_600, 'ok'],
    [3, 'ok'],
    [90, 'warn'],
  ])(
    'for a token whose issue time is %d s ahead of the clock, rates the clock as %s',
    (seconds, status) => {
      expect(assessClock(token({ iat: inSeconds(seconds) }), nowMs)?.status).toBe(status);
    },
  );

  it('does not rate the clock when the token has no issue time', () => {
    expect(assessClock('x.y.z', nowMs)).toBeUndefined();
  });

  it.each([
    ['600', 0o100600, 'ok'],
    ['644', 0o100644, 'fail'],
    ['660', 0o100660, 'fail'],
  ])('rates the permissions %s of a config file', (_, mode, status) => {
    expect(assessConfigMode('/c', mode).status).toBe(status);
  });
});
