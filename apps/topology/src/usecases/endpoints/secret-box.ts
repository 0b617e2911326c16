import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { SignatureClaim } from '../../domain/endpoints/signature';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const secretBytes = 32;

/**
 * Encrypts the secrets with which webhooks are signed. A secret is used to compute MACs, so a hash would not do;
 * whoever reads the database or a backup of it still cannot forge a post.
 */
export class SecretBox {
  readonly #key: Buffer;
  readonly #markKey: Buffer;

  /** The key may be any text that is hard to guess. */
  constructor(key: string) {
    this.#key = derive(key, 'daycare endpoint secrets');
    this.#markKey = derive(key, 'daycare endpoint secret marks');
  }

  /** Bound to the endpoint: at another one it cannot be opened. */
  seal(secret: string, endpointId: string): string {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#key, nonce).setAAD(Buffer.from(endpointId));
    const text = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()]);
    return Buffer.concat([nonce, text, sealing.getAuthTag()]).toString('base64url');
  }

  /** Throws when it was sealed with another key or for another endpoint. */
  open(sealed: string, endpointId: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes));
    opening.setAAD(Buffer.from(endpointId)).setAuthTag(bytes.subarray(-tagBytes));
    const text = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([opening.update(text), opening.final()]).toString('utf8');
  }

  /** Equal for equal secrets and useless without the key; recognises the retry of a request. */
  markOf(secret: string): string {
    return createHmac('sha256', this.#markKey).update(secret).digest('base64url');
  }
}

/** 256 random bits, in characters that need no escaping anywhere. */
export function generateSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Whether one of the claimed MACs is that of the body; all are compared, in constant time. */
export function isSignedBy(
  secret: string,
  { prefix, macs }: SignatureClaim,
  body: Buffer,
): boolean {
  const expected = createHmac('sha256', secret).update(prefix).update(body).digest();
  const matches = macs.map((mac) => timingSafeEqual(Buffer.from(mac, 'hex'), expected));
  return matches.includes(true);
}

function derive(key: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, keyBytes));
}
