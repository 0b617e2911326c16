import { createId } from '@paralleldrive/cuid2';
import { exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { importSigningKey, type SigningKey } from '@daycare/auth';
import { planKeys, type KeyPlan, type KeyPolicy } from '../../domain/key-schedule';
import type { SigningKeyStore, StoredKey } from '../../store/signing-key-store';

export interface SigningKeysDeps {
  readonly keys: SigningKeyStore;
  readonly policy: KeyPolicy;
  readonly now: () => Date;
  readonly onFailure: (error: unknown) => void;
}

/**
 * The signing keys, as this replica last read them. Every replica polls often enough to know a key before
 * it signs, and creates the next one when it is due; one of them succeeds.
 */
export class SigningKeys {
  #stored: readonly StoredKey[] = [];
  readonly #imported = new Map<string, SigningKey>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: SigningKeysDeps) {}

  /** Throws when the keys cannot be read at first; later failures are reported and retried. */
  async start(): Promise<void> {
    await this.poll();
    const everyMs = Math.max(this.deps.policy.announceMs / 4, 100);
    this.#timer = setInterval(() => {
      this.poll().catch(this.deps.onFailure);
    }, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Loads the keys, creates the one that is due and removes those whose tokens have all expired. */
  async poll(): Promise<void> {
    const { keys, policy, now } = this.deps;
    this.#stored = await keys.list();
    const { due, retired } = planKeys(this.#stored, policy, now());
    if (due) {
      await keys.insert(await createKey(due, now()));
      this.#stored = await keys.list();
    }
    if (retired.length > 0) await keys.remove(retired.map(({ id }) => id));
  }

  async signingKey(): Promise<SigningKey> {
    const { signing } = this.#plan();
    if (!signing) throw new Error('no signing key is available');
    const known = this.#imported.get(signing.id);
    if (known) return known;
    const imported = await importSigningKey(signing.id, signing.privateJwk);
    this.#imported.clear();
    this.#imported.set(signing.id, imported);
    return imported;
  }

  /** The public keys of every valid token, including the key that signs next. */
  publicKeys(): JSONWebKeySet {
    return { keys: this.#plan().published.map(({ publicJwk }) => publicJwk) };
  }

  #plan(): KeyPlan<StoredKey> {
    return planKeys(this.#stored, this.deps.policy, this.deps.now());
  }
}

async function createKey(
  due: NonNullable<KeyPlan<never>['due']>,
  createdAt: Date,
): Promise<StoredKey> {
  const id = createId();
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const [publicJwk, privateJwk] = await Promise.all([
    exportJWK(pair.publicKey),
    exportJWK(pair.privateKey),
  ]);
  const header = { kid: id, alg: 'EdDSA', use: 'sig' };
  return { id, ...due, createdAt, publicJwk: { ...publicJwk, ...header }, privateJwk };
}
