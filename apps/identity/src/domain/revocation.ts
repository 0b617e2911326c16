/** Makes tokens invalid before they expire. */
export interface Revocation {
  /** What is revoked: a token id, a session id, `user:<id>` or `credential:<id>`. */
  readonly id: string;
  /** When the last affected token expires by itself. */
  readonly expiresAt: Date;
  /** Only tokens issued before this time are affected; all if it is missing. */
  readonly issuedBefore?: Date;
  /**
   * The user towards whose limit the entry counts; missing for revocations by operators and deletions.
   */
  readonly ownerId?: string;
}

/** An owner whose entries reach this number cannot open further sessions until some have expired. */
export const maxRevocationsPerOwner = 1_000;
