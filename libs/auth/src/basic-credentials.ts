import { createHash, timingSafeEqual } from 'node:crypto';

/** A caller that proves itself with a name and a secret instead of a token. */
export type CredentialHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'client'; readonly name: string }
  | { readonly kind: 'service'; readonly name: string };

/** Who may present which secret. Secrets are kept as hashes from the start. */
export class BasicCredentials {
  readonly #holders = new Map<string, { holder: CredentialHolder; hash: Buffer }>();

  add(name: string, secret: string, holder: CredentialHolder): void {
    this.#holders.set(name, { holder, hash: hashOf(secret) });
  }

  /** The holder behind an `authorization: Basic …` value; undefined when it does not hold. */
  check(value: string): CredentialHolder | undefined {
    const [name = '', ...rest] = Buffer.from(value, 'base64').toString('utf8').split(':');
    const known = this.#holders.get(name);
    const given = hashOf(rest.join(':'));
    // Compared even for unknown names, so that the time taken tells nothing about them.
    const equal = timingSafeEqual(given, known?.hash ?? noHash);
    return known && equal ? known.holder : undefined;
  }
}

/** The metadata value that presents a credential. */
export function basicAuthorization(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

const noHash = Buffer.alloc(32);

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
