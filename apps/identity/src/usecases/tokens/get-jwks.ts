import type { JSONWebKeySet } from 'jose';
import type { Revocation } from '../../domain/revocation';
import type { RevocationFeed, RevocationPage } from './revocation-feed';
import type { SigningKeys } from './signing-keys';

/** Provides what token verifiers need: public keys, the ids of the secrets and providers in use, and revocations. */
export function makeGetJwks(deps: {
  readonly keys: SigningKeys;
  readonly feed: RevocationFeed;
  /** The ids of all configured secrets and providers. */
  readonly credentialIds: readonly string[];
}) {
  const { keys, feed, credentialIds } = deps;
  return {
    /** Returns keys that are at most a second old, as long as the database responds. */
    publicKeys: async (): Promise<{ jwks: JSONWebKeySet; maxTokenMs: number }> => {
      await keys.refresh();
      return { jwks: keys.publicKeys(), maxTokenMs: keys.publishedMaxTokenMs };
    },
    credentialIds: (): readonly string[] => credentialIds,
    listRevoked: (): Promise<readonly Revocation[]> => feed.list(),
    pageOfRevoked: (knownPosition: string): Promise<RevocationPage> => feed.page(knownPosition),
  };
}
