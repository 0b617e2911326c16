import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { PersonalToken } from '../../domain/sign-in/personal-token';
import type { PersonalTokenStore } from '../../store/sign-in/personal-token-store';
import { hashOf } from './refresh-secret';

/** The text of every personal access token begins with this, so that scanners recognise a leaked one. */
const prefix = 'dcp_';

/** Returns a new secret, and the text in which its holder presents it. */
export function newPersonalSecret(tokenId: string): { secret: string; text: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, text: `${prefix}${tokenId}.${secret}` };
}

/** Parses a presented secret; undefined when it cannot be one. */
function readPersonalSecret(text: string): { tokenId: string; secret: string } | undefined {
  const [, tokenId, secret] = /^dcp_([a-z0-9]{2,64})\.([A-Za-z0-9_-]{43})$/.exec(text) ?? [];
  return tokenId && secret ? { tokenId, secret } : undefined;
}

/** Finds the living token to which a presented secret belongs. */
export async function findBySecret(
  {
    personalTokens,
    now,
  }: { readonly personalTokens: PersonalTokenStore; readonly now: () => Date },
  text: string,
): Promise<PersonalToken | undefined> {
  const presented = readPersonalSecret(text);
  const token = presented && (await personalTokens.find(presented.tokenId, now()));
  if (!token) return undefined;
  const matches = timingSafeEqual(Buffer.from(hashOf(presented.secret)), Buffer.from(token.hash));
  return matches ? token : undefined;
}
