/** A token id, a session id, `user:<id>` or `credential:<id>` whose tokens are invalid before they expire. */
export interface Revocation {
  readonly id: string;
  /** When the last affected token expires by itself. */
  readonly expiresAt: Date;
  /** Only tokens that were issued before are affected; all if it is missing. */
  readonly issuedBefore?: Date;
  /** Whose entry it is; entries are limited per owner. Missing for what operators and deletions revoke. */
  readonly ownerId?: string;
}

/** An owner whose entries reach this number cannot open further sessions until some have expired. */
export const maxRevocationsPerOwner = 1_000;
