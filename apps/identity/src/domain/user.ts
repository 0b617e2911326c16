import type { Nametag } from '@daycare/api';
import { connectorKeyScope, type RequestKey } from './request-key';

/** A person, or a subuser: an application isolated inside a person's account. */
export interface User {
  readonly id: string;
  readonly nametag: Nametag;
  readonly name: string;
  /** The owner of a subuser; undefined for a top-level user. */
  readonly parentUserId: string | undefined;
  /** What a subuser is for; empty for a top-level user. */
  readonly description: string;
  /** An IANA name; empty when the user has not set one. */
  readonly timeZone: string;
  readonly createdAt: Date;
  /**
   * The client that may act for the user: the one that created it or, if an operator created it for a connector key,
   * the connector. `oidc`, a name that no client can have, for someone who signed in at a provider. Absent for
   * subusers, and for users that an operator created without a connector key.
   */
  readonly client?: string;
}

/** Returns `User.client` for a user that this credential created with this request. */
export function clientOf(createdBy: string, request: RequestKey | undefined): string | undefined {
  const [kind, name] = createdBy.split(':');
  if (kind === 'client') return name;
  return request?.scope === connectorKeyScope ? request.id.split(':')[0] : undefined;
}

export const nameLimits = { min: 1, max: 100 };
export const descriptionLimits = { min: 0, max: 1_000 };
export const batchLimits = { min: 1, max: 1_000 };

/** Who is reading a user. */
export type Reader =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'user'; readonly userId: string };

/** Users may read only themselves and their subusers; services and operators may read everyone. */
export function mayRead(reader: Reader, user: User): boolean {
  if (reader.kind === 'trusted') return true;
  return reader.userId === user.id || reader.userId === user.parentUserId;
}
