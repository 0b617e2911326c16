import { randomBytes } from 'node:crypto';

/** Every secret of a personal access token begins with it, so that scanners recognise one that leaked. */
const prefix = 'dcp_';

/** A new secret and the text that presents it. */
export function newPersonalSecret(tokenId: string): { secret: string; text: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, text: `${prefix}${tokenId}.${secret}` };
}

/** Parses a presented secret; undefined when it cannot be one. */
export function readPersonalSecret(text: string): { tokenId: string; secret: string } | undefined {
  const [, tokenId, secret] = /^dcp_([a-z0-9]{2,64})\.([A-Za-z0-9_-]{43})$/.exec(text) ?? [];
  return tokenId && secret ? { tokenId, secret } : undefined;
}
