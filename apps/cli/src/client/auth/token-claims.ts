export interface Claims {
  readonly sub?: string;
  /** Seconds since 1970. */
  readonly iat?: number;
  readonly exp?: number;
}

/** Returns a token's claims without verifying them; empty when the token is not a JSON Web Token. */
export function claimsOf(token: string): Claims {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    return JSON.parse(payload) as Claims;
  } catch {
    return {};
  }
}
