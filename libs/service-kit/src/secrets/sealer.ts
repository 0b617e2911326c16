import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts secrets that a service stores, so that the database alone reveals none of them. */
export class Sealer {
  readonly #key: Buffer;

  /** The key may be any text that is hard to guess; a separate key is derived from it for each purpose. */
  constructor(key: string, purpose: string) {
    this.#key = deriveKey(key, purpose);
  }

  /** `boundTo` names what the secret belongs to; the sealed secret can be opened only with the same name. */
  seal(secret: string, boundTo: string): string {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#key, nonce).setAAD(Buffer.from(boundTo));
    const text = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()]);
    return Buffer.concat([nonce, text, sealing.getAuthTag()]).toString('base64url');
  }

  /**
   * Throws if the secret was sealed with another key or for another purpose, is bound to something else, or has been
   * changed.
   */
  open(sealed: string, boundTo: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    opening.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(-tagBytes));
    const text = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([opening.update(text), opening.final()]).toString('utf8');
  }
}

/** Derives a 256-bit key for one purpose. */
export function deriveKey(key: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, keyBytes));
}
