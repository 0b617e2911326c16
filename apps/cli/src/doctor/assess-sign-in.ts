import { exitCodes } from '../failure/exit-codes';
import { CallFailure } from '../failure/call-failure';
import { Failure } from '../failure/failure';
import { expiryMsOf } from '@daycare/client/kit';
import { claimsOf } from '../client/auth/token-claims';
import { fail, ok, warn, type Check } from './check';

const name = 'sign-in';
const signIn = 'Sign in with "daycare login".';
const maxBehindMs = 5_000;

/** Rates the mode of the config file, which only its owner may read because it stores tokens. */
export function assessConfigMode(file: string, mode: number): Check {
  const bits = (mode & 0o777).toString(8);
  return (mode & 0o077) === 0
    ? ok('config', file)
    : fail(
        'config',
        `${file} is readable by other users (mode ${bits})`,
        `It contains tokens. Run: chmod 600 ${file}`,
      );
}

/** Explains why a token was rejected or could not be checked. */
export function assessRejectedToken(error: unknown, token: string, nowMs: number): Check {
  if (error instanceof Failure && error.exitCode === exitCodes.refused)
    return fail(name, error.message, error.hint ?? signIn);
  const call = error instanceof CallFailure ? error : undefined;
  const advice = call?.isTokenFromEnvironment ? 'Unset DAYCARE_TOKEN or set a new one.' : signIn;
  const code = call?.reason;
  if (code === 'UNAUTHENTICATED') return fail(name, rejectionReason(token, nowMs), advice);
  if (code === 'NOT_FOUND') return fail(name, "the token's user no longer exists", advice);
  const reason = error instanceof Error ? error.message : String(error);
  return warn(name, `cannot check the token: ${reason}`, 'Run this again once identity responds.');
}

function rejectionReason(token: string, nowMs: number): string {
  return expiryMsOf(token) <= nowMs
    ? 'the token has expired'
    : 'the token was revoked, or belongs to a stack whose data has been deleted';
}

/**
 * A token issued in the future shows that this clock is behind. A fast clock cannot be detected. Undefined if the token
 * has no issue time.
 */
export function assessClock(token: string, nowMs: number): Check | undefined {
  const { iat } = claimsOf(token);
  if (typeof iat !== 'number') return undefined;
  const behindMs = iat * 1_000 - nowMs;
  if (behindMs <= maxBehindMs) return ok('clock', 'not behind the servers');
  const found = `at least ${Math.round(behindMs / 1_000)} s behind the servers`;
  return warn(
    'clock',
    found,
    'Token expiry cannot be judged correctly. Synchronise the clock, e.g. with NTP.',
  );
}
