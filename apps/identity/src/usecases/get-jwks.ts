import type { JSONWebKeySet } from 'jose';
import type { Revocation, RevocationStore } from '../store/revocation-store';
import type { KeyKeeper } from './maintain-keys';

export interface PublishedKeys {
  readonly jwks: JSONWebKeySet;
  readonly revoked: readonly Revocation[];
}

/** What tokens are checked against. */
export function makeGetJwks(deps: {
  readonly keys: KeyKeeper;
  readonly revocations: RevocationStore;
  readonly now: () => Date;
}) {
  return async (): Promise<PublishedKeys> => ({
    jwks: deps.keys.publicKeys(),
    revoked: await deps.revocations.list(deps.now()),
  });
}
