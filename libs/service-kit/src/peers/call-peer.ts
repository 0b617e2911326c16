import type { ServiceCredential, UserSubject } from '@daycare/auth';
import type { MetadataFor } from '@daycare/rpc';
import { maskPeerAuthError } from './mask-peer-auth-error';

/** What a call to a peer must pass on to the client. */
interface PeerCallOptions {
  readonly metadataFor: MetadataFor;
}

/**
 * Returns a function that calls a peer on behalf of a user or agent or, without a subject, as the service itself. If the
 * peer rejects this service, callers receive UNAVAILABLE.
 */
export function makeCallPeer(credential: Pick<ServiceCredential, 'metadata'>, callee: string) {
  return async <T>(
    call: (options: PeerCallOptions) => Promise<T>,
    subject?: UserSubject,
  ): Promise<T> => {
    try {
      return await call({ metadataFor: credential.metadata(callee, subject) });
    } catch (error) {
      throw maskPeerAuthError(error);
    }
  };
}
