import { hash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** A caller that authenticates with a name and a secret instead of a token. */
export type CredentialHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'client'; readonly name: string }
  | { readonly kind: 'service'; readonly name: string };

/** A holder with all of its secrets; there is more than one while they are being replaced. */
export interface Credential {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly holder: CredentialHolder;
}

/** A secret that was presented and found to be correct. */
export interface KnownSecret {
  readonly holder: CredentialHolder;
  /** Identifies the secret without revealing anything about it; the same in every replica. */
  readonly credentialId: string;
}

interface StoredSecret extends KnownSecret {
  readonly hash: Buffer;
}

/** The known names and secrets. Only hashes of the secrets are kept. */
export class BasicCredentials {
  private constructor(private readonly byName: ReadonlyMap<string, readonly StoredSecret[]>) {}

  static async create(credentials: readonly Credential[]): Promise<BasicCredentials> {
    const entries = credentials.map(async ({ name, secrets, holder }) => {
      const stored = secrets.map(async (secret) => ({
        holder,
        hash: hashOf(secret),
        credentialId: await credentialIdOf(name, secret),
      }));
      return [name, await Promise.all(stored)] as const;
    });
    return new BasicCredentials(new Map(await Promise.all(entries)));
  }

  /** The ids of all secrets. */
  get ids(): readonly string[] {
    return [...this.byName.keys()].flatMap((name) => this.idsOf(name));
  }

  /** Returns the ids of a holder's secrets; none for an unknown name. */
  idsOf(name: string): readonly string[] {
    return this.byName.get(name)?.map(({ credentialId }) => credentialId) ?? [];
  }

  /** Returns the secret in an `authorization: Basic …` value; undefined if the name or the secret is wrong. */
  check(value: string): KnownSecret | undefined {
    const [name = '', ...secretParts] = Buffer.from(value, 'base64').toString('utf8').split(':');
    const presented = hashOf(secretParts.join(':'));
    // A secret is compared even for an unknown name, so that the time taken does not reveal which names exist.
    const stored = this.byName.get(name) ?? [placeholder];
    return stored
      .filter((secret) => timingSafeEqual(presented, secret.hash))
      .find((secret) => secret !== placeholder);
  }
}

/** Returns the `authorization` value with a holder's name and secret. */
export function basicAuthorization(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

/** Compared in place of an unknown name's secret; never accepted. */
const placeholder: StoredSecret = {
  holder: { kind: 'admin' },
  credentialId: '',
  hash: Buffer.alloc(32),
};

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * Slow on purpose: the id is part of tokens, and whoever has a token must not be able to find the secret by guessing.
 */
async function credentialIdOf(name: string, secret: string): Promise<string> {
  const derived = await promisify<string, string, number, Buffer>(scrypt)(
    secret,
    `daycare credential ${name}`,
    12,
  );
  return derived.toString('base64url');
}
