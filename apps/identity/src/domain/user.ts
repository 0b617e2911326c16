import type { Nametag } from '@daycare/errors';

/** A person, or an application that a person has fenced off as a subuser. */
export interface User {
  readonly id: string;
  readonly nametag: Nametag;
  readonly name: string;
  /** The owner of a subuser; undefined for a top-level user. */
  readonly parentUserId: string | undefined;
  /** What a subuser is for; empty for a top-level user. */
  readonly description: string;
  readonly createdAt: Date;
}

export const nameLimits = { min: 1, max: 100 };
export const descriptionLimits = { min: 0, max: 1_000 };
export const batchLimits = { min: 1, max: 1_000 };

/** Who wants to know about a user. */
export type Reader =
  { readonly kind: 'trusted' } | { readonly kind: 'user'; readonly userId: string };

/** A user sees itself and its own subusers, nobody else. Services and operators see everybody. */
export function mayRead(reader: Reader, user: User): boolean {
  if (reader.kind === 'trusted') return true;
  return reader.userId === user.id || reader.userId === user.parentUserId;
}
