/** Makes tokens invalid before they expire. */
export interface Revocation {
  /**
   * What is revoked: the id of an access token, of a session or of a personal access token (then all its access tokens
   * are revoked), `user:<id>` or `credential:<id>`.
   */
  readonly id: string;
  /** When the last affected token would expire without the revocation. */
  readonly expiresAt: Date;
  /** Only tokens issued before this time are affected; all if it is missing. */
  readonly issuedBefore?: Date;
  /**
   * Whose limit the entry counts towards: a user's (the id), the operators' (`admin`) or a client's (`client:<name>`).
   * Missing for entries about deleted users, secrets, services' tokens and operators' sessions, which are not limited.
   */
  readonly ownerId?: string;
}

/**
 * A user with this many entries, including those of its subusers, can neither sign in nor create personal access tokens
 * until some have expired. Operators with this many entries cannot create such tokens either, but they can sign in.
 */
export const maxRevocationsPerOwner = 1_000;
