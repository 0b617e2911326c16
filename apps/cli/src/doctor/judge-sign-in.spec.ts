import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '@daycare/errors';
import { CallFailure } from '../failure/call-failure';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { judgeClock, judgeConfigMode, judgeRefusal } from './judge-sign-in';

const nowMs = Date.UTC(2030, 0, 1);
const token = (claims: object): string =>
  `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;
const inSeconds = (seconds: number): number => nowMs / 1_000 + seconds;
const refused = (code: ErrorCode) =>
  new CallFailure('identity', 'host:1', 'ada', new AppError(code, 'No'));

describe('what the doctor says of a sign-in', () => {
  it.each([
    ['UNAUTHENTICATED', -60, 'fail', /has expired/],
    ['UNAUTHENTICATED', 60, 'fail', /was revoked/],
    ['NOT_FOUND', 60, 'fail', /is gone/],
    ['UNAVAILABLE', 60, 'warn', /cannot be checked/],
  ] as const)('%s with a token that ends in %d s: %s', (code, seconds, status, found) => {
    const check = judgeRefusal(refused(code), token({ exp: inSeconds(seconds) }), nowMs);
    expect(check).toMatchObject({ status, found: expect.stringMatching(found) });
  });

  it('what the keeper of tokens says', () => {
    const failure = new Failure(exitCodes.refused, 'The sign-in has expired.', 'Sign in.');
    expect(judgeRefusal(failure, 'x', nowMs)).toMatchObject({ status: 'fail', advice: 'Sign in.' });
  });

  it('what to do about DAYCARE_TOKEN when that is the token', () => {
    const { error } = refused('UNAUTHENTICATED');
    const failure = new CallFailure('identity', 'host:1', 'ada', error, { isGiven: true });
    expect(judgeRefusal(failure, 'x', nowMs).advice).toBe('Unset DAYCARE_TOKEN or give a new one.');
  });

  it.each([
    [-3_600, 'ok'],
    [3, 'ok'],
    [90, 'warn'],
  ])('a token that was issued %d s from now: the clock is %s', (seconds, status) => {
    expect(judgeClock(token({ iat: inSeconds(seconds) }), nowMs)?.status).toBe(status);
  });

  it('nothing of the clock when the token does not say', () => {
    expect(judgeClock('x.y.z', nowMs)).toBeUndefined();
  });

  it.each([
    [0o100600, 'ok'],
    [0o100644, 'fail'],
    [0o100660, 'fail'],
  ])('a file with mode %o: %s', (mode, status) => {
    expect(judgeConfigMode('/c', mode).status).toBe(status);
  });
});
