import { createId } from '@paralleldrive/cuid2';
import { exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { importSigningKey, type SigningKey } from '@daycare/auth';
import { planKeys, type KeyPlan, type KeyPolicy } from '../domain/key-schedule';
import type { SigningKeyStore, StoredKey } from '../store/signing-key-store';

export interface MaintainKeysDeps {
  readonly keys: SigningKeyStore;
  readonly policy: KeyPolicy;
  readonly now: () => Date;
  readonly onFailure: (error: unknown) => void;
}

/**
 * The signing keys as this replica knows them. All replicas look at the same collection often enough
 * to know a key before it signs, and each makes the next one when it is due: one of them succeeds.
 */
export class KeyKeeper {
  #stored: readonly StoredKey[] = [];
  readonly #imported = new Map<string, SigningKey>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: MaintainKeysDeps) {}

  /** Throws when there is no key to begin with; later failures are reported and tried again. */
  async start(): Promise<void> {
    await this.maintain();
    const everyMs = Math.max(this.deps.policy.announceMs / 4, 100);
    this.#timer = setInterval(() => {
      this.maintain().catch(this.deps.onFailure);
    }, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Loads the keys, makes the one that is due and forgets those whose tokens have all expired. */
  async maintain(): Promise<void> {
    const { keys, policy, now } = this.deps;
    this.#stored = await keys.list();
    const { due, retired } = planKeys(this.#stored, policy, now());
    if (due) {
      await keys.insert(await makeKey(due, now()));
      this.#stored = await keys.list();
    }
    if (retired.length > 0) await keys.remove(retired.map(({ id }) => id));
  }

  async signingKey(): Promise<SigningKey> {
    const { signing } = this.#plan();
    if (!signing) throw new Error('there is no signing key');
    const known = this.#imported.get(signing.id);
    if (known) return known;
    const imported = await importSigningKey(signing.id, signing.privateJwk);
    this.#imported.clear();
    this.#imported.set(signing.id, imported);
    return imported;
  }

  /** The public keys that may have signed, or are about to sign, a live token. */
  publicKeys(): JSONWebKeySet {
    return { keys: this.#plan().published.map(({ publicJwk }) => publicJwk) };
  }

  #plan(): KeyPlan<StoredKey> {
    return planKeys(this.#stored, this.deps.policy, this.deps.now());
  }
}

async function makeKey(
  due: NonNullable<KeyPlan<never>['due']>,
  createdAt: Date,
): Promise<StoredKey> {
  const id = createId();
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const [publicJwk, privateJwk] = await Promise.all([
    exportJWK(pair.publicKey),
    exportJWK(pair.privateKey),
  ]);
  const facts = { kid: id, alg: 'EdDSA', use: 'sig' };
  return { id, ...due, createdAt, publicJwk: { ...publicJwk, ...facts }, privateJwk };
}
