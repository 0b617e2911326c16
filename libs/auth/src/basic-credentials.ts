import { hash, timingSafeEqual } from 'node:crypto';

/** A caller that authenticates with a name and a secret instead of a token. */
export type CredentialHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'client'; readonly name: string }
  | { readonly kind: 'service'; readonly name: string };

/** The known names and secrets. Secrets are held as hashes only. */
export class BasicCredentials {
  readonly #holders = new Map<string, { holder: CredentialHolder; hash: Buffer }>();

  add(name: string, secret: string, holder: CredentialHolder): void {
    this.#holders.set(name, { holder, hash: hashOf(secret) });
  }

  /** The holder behind an `authorization: Basic …` value; undefined when it is wrong. */
  check(value: string): CredentialHolder | undefined {
    const [name = '', ...rest] = Buffer.from(value, 'base64').toString('utf8').split(':');
    const known = this.#holders.get(name);
    const given = hashOf(rest.join(':'));
    // Compared for unknown names too, so that the time taken does not reveal which names exist.
    const isEqual = timingSafeEqual(given, known?.hash ?? noHash);
    return known && isEqual ? known.holder : undefined;
  }
}

/** The metadata value that presents a credential. */
export function basicAuthorization(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

const noHash = Buffer.alloc(32);

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
