/**
 * A sign-in at a provider that has begun but is not complete. State and browser secret are stored as
 * hashes.
 */
export interface PendingSignIn {
  readonly stateHash: string;
  readonly browserHash: string;
  /** A hash of the address from which it was begun. */
  readonly addressHash: string;
  readonly provider: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly expiresAt: Date;
}

/** Long enough to find a password and a second factor. */
export const signInLifetimeMs = 10 * 60_000;

/**
 * Anyone can begin a sign-in, so there is a limit per address; it is high, because many people may share an address.
 */
export const maxPendingPerAddress = 100;

/** The limit for all addresses together. */
export const maxPendingSignIns = 10_000;
