import { FieldChecks } from '@daycare/api';
import type { GetJwksResponse, IdentityServiceService } from '@daycare/contracts/identity';
import type { Handlers } from '@daycare/rpc';
import type { Revocation } from '../domain/revocation';
import type { TokenUsecases } from '../usecases';

type KeyHandlers = Pick<Handlers<typeof IdentityServiceService>, 'getJwks' | 'rotateSigningKey'>;

/** The handlers for signing keys and revocations. */
export function keyHandlers(tokens: TokenUsecases): KeyHandlers {
  return {
    getJwks: async ({ knownPosition }, { caller }) => {
      const { jwks, maxTokenMs } = await tokens.publicKeys();
      const keys = { jwksJson: JSON.stringify(jwks), maxTokenMs };
      const isTrusted = caller.kind === 'service' || caller.kind === 'admin';
      if (!isTrusted) return { ...emptyResponse, ...keys };
      const credentialIds = [...tokens.credentialIds()];
      if (knownPosition === undefined) {
        const revoked = (await tokens.listRevoked()).map(toMessage);
        return { ...emptyResponse, ...keys, credentialIds, revoked, revokedComplete: true };
      }
      const page = await tokens.pageOfRevoked(knownPosition);
      return {
        ...keys,
        credentialIds,
        revoked: page.revoked.map(toMessage),
        revokedComplete: page.isRestarted && !page.hasMore,
        position: page.position,
        restarted: page.isRestarted,
        more: page.hasMore,
      };
    },
    rotateSigningKey: async ({ requestId, removeOthers }) => {
      new FieldChecks().requestId(requestId).done();
      const { id: keyId, activeFrom } = await tokens.rotateSigningKey(requestId, removeOthers);
      return { keyId, activeFrom };
    },
  };
}

const emptyResponse: Omit<GetJwksResponse, 'jwksJson' | 'maxTokenMs'> = {
  revoked: [],
  revokedComplete: false,
  position: '',
  restarted: false,
  more: false,
  credentialIds: [],
};

function toMessage({ id: tokenId, expiresAt, issuedBefore }: Revocation) {
  return { tokenId, expiresAt, issuedBefore };
}
