import type { Filter } from 'mongodb';
import type { Endpoint, EndpointWish } from '../domain/endpoint';

/** A request that was carried out: enough to recognise its retry. */
export interface DoneRequest {
  readonly id: string;
  /** Equal for equal requests. */
  readonly fingerprint: string;
}

/** An endpoint as the edge needs it. */
export interface ServedEndpoint extends Endpoint {
  readonly passwordHash: string | undefined;
}

export interface EndpointDocument extends Omit<Endpoint, 'id'> {
  readonly _id: string;
  /** One of a hundred places that a user has; gone with the deletion. */
  readonly slot?: number;
  readonly passwordHash?: string;
  readonly createdBy: DoneRequest;
  /** The latest requests that changed it. */
  readonly changedBy: readonly DoneRequest[];
  readonly deletedBy?: string;
  /** When a deleted one is forgotten; until then retries are recognised. */
  readonly forgetAt?: Date;
}

/** A new endpoint, or what becomes of one. */
export interface EndpointDraft extends EndpointWish {
  /** Undefined leaves it as it is. */
  readonly passwordHash: string | undefined;
}

/** Where a page ends: the last endpoint of it. */
export interface EndpointPlace {
  readonly createdAt: Date;
  readonly id: string;
}

export interface ScopePlace extends EndpointPlace {
  readonly userId: string;
}

export interface EndpointListing {
  readonly userIds: readonly string[];
  readonly after: ScopePlace | undefined;
  readonly limit: number;
}

export function toEndpoint(document: EndpointDocument): Endpoint {
  const { _id: id, userId, name, target, mode, auth, version, createdAt, updatedAt } = document;
  return { id, userId, name, target, mode, auth, version, createdAt, updatedAt };
}

export function toServed(document: EndpointDocument): ServedEndpoint {
  return { ...toEndpoint(document), passwordHash: document.passwordHash };
}

/** A new endpoint as it is stored. */
export function documentOf(
  { id: _id, ...endpoint }: Omit<Endpoint, 'version' | 'updatedAt'>,
  passwordHash: string | undefined,
  createdBy: DoneRequest,
  slot: number,
): EndpointDocument {
  const hash = passwordHash === undefined ? {} : { passwordHash };
  const { createdAt: updatedAt } = endpoint;
  return { ...endpoint, ...hash, _id, version: 1, updatedAt, slot, createdBy, changedBy: [] };
}

export function laterThan({ createdAt, id }: EndpointPlace): Filter<EndpointDocument> {
  return { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: id } }] };
}

export function laterInScope({ userId, createdAt, id }: ScopePlace): Filter<EndpointDocument> {
  return {
    $or: [
      { userId: { $gt: userId } },
      { userId, createdAt: { $gt: createdAt } },
      { userId, createdAt, _id: { $gt: id } },
    ],
  };
}
