import { importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import { issuer, toPayload, tokenTypes, type Claims } from './claims';

/** A key with which identity signs tokens. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
}

export async function importSigningKey(id: string, jwk: JWK): Promise<SigningKey> {
  return { id, privateKey: (await importJWK(jwk, 'EdDSA')) as CryptoKey };
}

/** Signs the claims as a JWT. */
export function signAccessToken(claims: Claims, key: SigningKey): Promise<string> {
  return new SignJWT(toPayload(claims))
    .setProtectedHeader({ alg: 'EdDSA', typ: tokenTypes.access, kid: key.id })
    .setIssuer(issuer)
    .setAudience(issuer)
    .sign(key.privateKey);
}
