import { decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import { AppError } from '@daycare/api';
import type { KeyRing } from './key-ring';

export interface ExpectedJwt {
  readonly typ: string;
  readonly issuer: string;
  readonly audience: string;
  readonly clockTolerance: number;
  readonly currentDate: Date;
}

/** Returns a JWT's payload if its signature and its claims are as expected; throws UNAUTHENTICATED otherwise. */
export async function checkJwt(
  token: string,
  key: Parameters<typeof jwtVerify>[1],
  expected: ExpectedJwt,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, key as KeyRing['resolver'], {
      ...expected,
      algorithms: ['EdDSA'],
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    return payload;
  } catch (cause) {
    throw invalidToken(cause);
  }
}

/**
 * Returns the id of the key that a JWT claims to be signed with; undefined if it names none. Throws UNAUTHENTICATED for
 * anything that is not a JWT.
 */
export function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch (cause) {
    throw invalidToken(cause);
  }
}

/** The error for a token that is not accepted; the same for every reason, so that an attacker learns nothing. */
export function invalidToken(cause?: unknown): AppError {
  return new AppError('UNAUTHENTICATED', 'The token is invalid', {}, { cause });
}
