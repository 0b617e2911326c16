import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, Sealer } from '@daycare/service-kit';
import type { SignatureClaim } from '../../domain/endpoints/signature';

const secretBytes = 32;

/**
 * Encrypts the secrets with which webhooks are signed. Computing a MAC requires the secret itself, so storing a
 * hash is not enough. Someone who reads the database or a backup still cannot forge a webhook request.
 */
export class SecretBox {
  readonly #sealer: Sealer;
  readonly #fingerprintKey: Buffer;

  /** The key may be any text that is hard to guess. */
  constructor(key: string) {
    this.#sealer = new Sealer(key, 'daycare endpoint secrets');
    this.#fingerprintKey = deriveKey(key, 'daycare endpoint secret marks');
  }

  /** The result is bound to the endpoint and cannot be opened for another one. */
  seal(secret: string, endpointId: string): string {
    return this.#sealer.seal(secret, endpointId);
  }

  /** Throws if the secret was sealed with another key or for another endpoint. */
  open(sealed: string, endpointId: string): string {
    return this.#sealer.open(sealed, endpointId);
  }

  /** Returns a keyed hash, equal for equal secrets and useless without the key, for recognising retries. */
  fingerprintOf(secret: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(secret).digest('base64url');
  }
}

/** Generates 256 random bits, in characters that need no escaping anywhere. */
export function generateSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Reports whether one of the claimed MACs is correct for the body; compares all of them in constant time. */
export function isSignedBy(
  secret: string,
  { prefix, macs }: SignatureClaim,
  body: Buffer,
): boolean {
  const expected = createHmac('sha256', secret).update(prefix).update(body).digest();
  const matches = macs.map((mac) => timingSafeEqual(Buffer.from(mac, 'hex'), expected));
  return matches.includes(true);
}
