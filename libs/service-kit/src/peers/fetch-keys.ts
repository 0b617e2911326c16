import type { JSONWebKeySet } from 'jose';
import type { KeyUpdate, Revocation } from '@daycare/auth';
import type { GetJwksResponse, RevokedToken } from '@daycare/contracts/identity';

/**
 * Fetches what has changed since a position, page by page. If a page fails, the pages before it take effect, and the
 * next fetch continues after them; but a list that replaces the known one takes effect only once it is complete.
 */
export async function fetchKeys(
  knownPosition: string,
  fetchPage: (position: string) => Promise<GetJwksResponse>,
): Promise<KeyUpdate> {
  let page = await fetchPage(knownPosition);
  let isRestarted = page.restarted;
  const revoked = page.revoked.map(toRevocation);
  let failure: unknown;
  while (page.more && failure === undefined) {
    const next = await fetchPage(page.position).catch((error: unknown) => {
      if (isRestarted) throw error;
      failure = error;
      return undefined;
    });
    if (!next) break;
    page = next;
    // The replica that sent this page may have a different list from the replica that sent the previous one.
    if (page.restarted) {
      isRestarted = true;
      revoked.length = 0;
    }
    for (const token of page.revoked) revoked.push(toRevocation(token));
  }
  return {
    jwks: JSON.parse(page.jwksJson) as JSONWebKeySet,
    maxTokenMs: page.maxTokenMs || undefined,
    credentialIds: page.credentialIds.length > 0 ? page.credentialIds : undefined,
    revoked,
    isRestarted,
    position: page.position,
    ...(failure === undefined ? {} : { failure }),
  };
}

function toRevocation({ tokenId: id, expiresAt, issuedBefore }: RevokedToken): Revocation {
  const expiresAtMs = expiresAt?.getTime() ?? Infinity;
  return { id, expiresAtMs, issuedBeforeMs: issuedBefore?.getTime() };
}
