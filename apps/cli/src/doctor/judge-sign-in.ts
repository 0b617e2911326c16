import { exitCodes } from '../failure/exit-codes';
import { CallFailure } from '../failure/call-failure';
import { Failure } from '../failure/failure';
import { claimsOf, expiryOf } from '../client/token-claims';
import { fail, ok, warn, type Check } from './check';

const name = 'sign-in';
const signIn = 'Sign in with "daycare login".';
const toleratedMs = 5_000;

/** The mode of the file that keeps tokens. */
export function judgeConfigMode(file: string, mode: number): Check {
  const bits = (mode & 0o777).toString(8);
  return (mode & 0o077) === 0
    ? ok('config', file)
    : fail(
        'config',
        `${file} can be read by others (mode ${bits})`,
        `It holds tokens: chmod 600 ${file}`,
      );
}

/** Why identity did not take a token. */
export function judgeRefusal(error: unknown, token: string, nowMs: number): Check {
  if (error instanceof Failure && error.exitCode === exitCodes.refused)
    return fail(name, error.message, error.hint ?? signIn);
  const call = error instanceof CallFailure ? error : undefined;
  const advice = call?.token.isGiven ? 'Unset DAYCARE_TOKEN or give a new one.' : signIn;
  const code = call?.error.code;
  if (code === 'UNAUTHENTICATED') return fail(name, refusedBecause(token, nowMs), advice);
  if (code === 'NOT_FOUND') return fail(name, 'the user of the token is gone', advice);
  const reason = error instanceof Error ? error.message : String(error);
  return warn(name, `cannot be checked: ${reason}`, 'Look again once identity answers.');
}

function refusedBecause(token: string, nowMs: number): string {
  return expiryOf(token) <= nowMs
    ? 'the token has expired'
    : 'the token was revoked, or is of a stack that has been started afresh';
}

/** A token from the future shows that this clock is behind; nothing shows that it is ahead. */
export function judgeClock(token: string, nowMs: number): Check | undefined {
  const { iat } = claimsOf(token);
  if (typeof iat !== 'number') return undefined;
  const behindMs = iat * 1_000 - nowMs;
  if (behindMs <= toleratedMs) return ok('clock', 'not behind that of the servers');
  const found = `at least ${Math.round(behindMs / 1_000)} s behind that of the servers`;
  return warn(
    'clock',
    found,
    'Tokens hold longer or shorter than they should: set the clock, e.g. by NTP.',
  );
}
