import type { TimePosition } from '@daycare/api';
import type { Authored } from '../domain/viewer';
import type { Endpoint, EndpointSpec, ServedEndpoint } from '../domain/endpoints/endpoint';

/** A completed request, with enough to recognise its retry. */
export interface DoneRequest {
  readonly id: string;
  /** Equal for equal requests. */
  readonly fingerprint: string;
}

/** What is stored to check visitors' credentials. */
export type StoredCredential =
  | { readonly passwordHash: string }
  | { readonly sealedSecret: string };

export interface EndpointDocument extends Omit<Endpoint, 'id'> {
  readonly _id: string;
  /** One of the owner's hundred slots; unset once the endpoint is deleted. */
  readonly slot?: number;
  readonly passwordHash?: string;
  readonly sealedSecret?: string;
  readonly createdBy: DoneRequest;
  /** The latest requests that changed it. */
  readonly changedBy: readonly DoneRequest[];
  /** The id of the request that deleted it; empty if the end of its agent did. */
  readonly deletedBy?: string;
  /** When a deleted endpoint is purged; until then retries are recognised. */
  readonly forgetAt?: Date;
}

/** An endpoint's new settings. */
export interface EndpointDraft extends EndpointSpec, Authored {
  /** Replaces the current credential; undefined leaves it as it is if `auth` still needs one. */
  readonly credential: StoredCredential | undefined;
}

/** The last endpoint on a page of several users' endpoints. */
export interface ScopePosition extends TimePosition {
  readonly userId: string;
}

export interface EndpointListing {
  readonly userIds: readonly string[];
  readonly after: ScopePosition | undefined;
  readonly limit: number;
}

export function toEndpoint(document: EndpointDocument): Endpoint {
  const { _id: id, userId, ownerUserId, name, target, mode, auth } = document;
  const { version, createdAt, updatedAt, writtenBy } = document;
  const settings = { name, target, mode, auth, ...(writtenBy ? { writtenBy } : {}) };
  return { id, userId, ownerUserId, ...settings, version, createdAt, updatedAt };
}

export function toServedEndpoint(document: EndpointDocument): ServedEndpoint {
  const { passwordHash, sealedSecret } = document;
  return { ...toEndpoint(document), passwordHash, sealedSecret };
}

/** Returns a new endpoint in its stored form. */
export function documentOf(
  { id: _id, ...endpoint }: Omit<Endpoint, 'version' | 'updatedAt'>,
  credential: StoredCredential | undefined,
  createdBy: DoneRequest,
  slot: number,
): EndpointDocument {
  const { createdAt: updatedAt } = endpoint;
  return { ...endpoint, ...credential, _id, version: 1, updatedAt, slot, createdBy, changedBy: [] };
}

/** Returns the fields to remove when an endpoint gets this credential, or when `auth` needs none. */
export function fieldsToUnset(
  auth: Endpoint['auth'],
  credential: StoredCredential | undefined,
): Readonly<Partial<Record<keyof EndpointDocument, ''>>> {
  if (auth === 'none') return { passwordHash: '', sealedSecret: '' };
  if (!credential) return {};
  return 'passwordHash' in credential ? { sealedSecret: '' } : { passwordHash: '' };
}
