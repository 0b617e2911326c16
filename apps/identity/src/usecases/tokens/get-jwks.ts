import type { JSONWebKeySet } from 'jose';
import type { Revocation } from '../../store/revocation-store';
import type { RecentRevocations } from './recent-revocations';
import type { SigningKeys } from './signing-keys';

/** What tokens are verified against: public keys and revocations. */
export function makeGetJwks(deps: {
  readonly keys: SigningKeys;
  readonly revocations: Pick<RecentRevocations, 'list'>;
}) {
  return {
    publicKeys: (): JSONWebKeySet => deps.keys.publicKeys(),
    listRevoked: (): Promise<readonly Revocation[]> => deps.revocations.list(),
  };
}
