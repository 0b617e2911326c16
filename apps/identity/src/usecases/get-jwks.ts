import type { JSONWebKeySet } from 'jose';
import type { Revocation, RevocationStore } from '../store/revocation-store';
import type { KeyKeeper } from './maintain-keys';

/** What tokens are checked against: public keys, and what no longer holds. */
export function makeGetJwks(deps: {
  readonly keys: KeyKeeper;
  readonly revocations: RevocationStore;
  readonly now: () => Date;
}) {
  return {
    publicKeys: (): JSONWebKeySet => deps.keys.publicKeys(),
    listRevoked: (): Promise<Revocation[]> => deps.revocations.list(deps.now()),
  };
}
