import { createHash } from 'node:crypto';
import type { Sealer } from '@daycare/service-kit';
import type { ModelDescription } from '../catalogue/model-catalogue';
import type { AddedProvider } from '../domain/added-providers';
import type { ModelProvider } from '../providers/model-provider';
import { addedSpec, type ProviderSpec } from '../providers-config';
import type { ProviderStore } from '../store/provider-store';

export interface KnownProvidersDeps {
  readonly store: Pick<ProviderStore, 'read'>;
  /** `local` and the configured providers. */
  readonly configured: ReadonlyMap<string, ModelProvider>;
  readonly make: (spec: ProviderSpec) => ModelProvider;
  /** Undefined when there is no key to encrypt with. */
  readonly sealer: Sealer | undefined;
  /** Called with the name of each provider that was added or removed, or whose address or key has changed. */
  readonly onChanged: (name: string) => void;
}

/** A provider that was added, as this replica can use it. */
export interface OpenedProvider extends AddedProvider {
  /** Why the provider cannot be used; empty when it can. */
  readonly problem: string;
}

interface Entry {
  readonly opened: OpenedProvider;
  /** Undefined when it cannot be used. */
  readonly provider: ModelProvider | undefined;
}

/**
 * A stored key is bound to this text, so that an attacker who can write to the database cannot redirect
 * it to another address.
 */
export const keyBinding = ({ name, baseUrl }: Pick<AddedProvider, 'name' | 'baseUrl'>): string =>
  `${name} ${baseUrl}`;

/**
 * The command that replaces a key; it includes the address, so that the operator sees where the key will be sent.
 */
export const addCommand = ({ name, baseUrl }: Pick<AddedProvider, 'name' | 'baseUrl'>): string =>
  ['daycare model add', name, baseUrl].join(' ').trim();

/**
 * The available providers, as of the last `reload`. An added provider overrides a configured one with the same name,
 * even when the added one cannot be used.
 */
export class KnownProviders {
  #revision = 0;
  #entries: ReadonlyMap<string, Entry> = new Map();
  #descriptions: ReadonlyMap<string, ModelDescription> = new Map();

  constructor(private readonly deps: KnownProvidersDeps) {}

  get(name: string): ModelProvider | undefined {
    const entry = this.#entries.get(name);
    return entry ? entry.provider : this.deps.configured.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  keys(): readonly string[] {
    const names = new Set([...this.deps.configured.keys(), ...this.#entries.keys()]);
    return [...names].filter((name) => this.has(name));
  }

  get added(): readonly OpenedProvider[] {
    return [...this.#entries.values()].map(({ opened }) => opened);
  }

  /** Returns a version that differs for each key and address; empty for configured and unusable providers. */
  versionOf(name: string): string {
    const added = this.findAdded(name);
    if (added?.problem !== '') return '';
    const hash = createHash('sha256').update(`${added.baseUrl} ${added.sealedKey}`);
    return hash.digest('base64url').slice(0, 8);
  }

  /** Finds the added provider with this name, whether or not it can be used. */
  findAdded(name: string): OpenedProvider | undefined {
    return this.#entries.get(name)?.opened;
  }

  /** Returns the operators' descriptions of added providers' models, by `provider/id`. */
  descriptions(): ReadonlyMap<string, ModelDescription> {
    return this.#descriptions;
  }

  /** Reads the changes made by operators, unless the newest revision, if given, is already known. */
  async reload(newest = Infinity): Promise<void> {
    if (newest <= this.#revision) return;
    const { revision, providers } = await this.deps.store.read();
    // A slow read of an older revision must not replace a newer one.
    if (revision <= this.#revision) return;
    const before = this.#entries;
    this.#entries = new Map(providers.map((each) => [each.name, this.#entryOf(each)]));
    this.#descriptions = descriptionsOf(providers);
    this.#revision = revision;
    const names = new Set([...before.keys(), ...this.#entries.keys()]);
    for (const name of names)
      if (before.get(name)?.provider !== this.#entries.get(name)?.provider)
        this.deps.onChanged(name);
  }

  #entryOf(added: AddedProvider): Entry {
    const earlier = this.#entries.get(added.name);
    if (earlier?.provider && isSame(earlier.opened, added))
      return { opened: { ...added, problem: '' }, provider: earlier.provider };
    const { apiKey, problem } = this.#open(added);
    const provider = problem === '' ? this.deps.make(addedSpec(added, apiKey)) : undefined;
    return { opened: { ...added, problem }, provider };
  }

  #open(added: AddedProvider): { readonly apiKey: string; readonly problem: string } {
    const { sealer } = this.deps;
    if (added.sealedKey === '') return { apiKey: '', problem: '' };
    if (!sealer) return { apiKey: '', problem: 'DAYCARE_VAULT_KEY is not set' };
    try {
      return { apiKey: sealer.open(added.sealedKey, keyBinding(added)), problem: '' };
    } catch {
      const problem = `its key cannot be decrypted, because DAYCARE_VAULT_KEY or the stored address was changed: run "${addCommand(added)}" again`;
      return { apiKey: '', problem };
    }
  }
}

function descriptionsOf(
  providers: readonly AddedProvider[],
): ReadonlyMap<string, ModelDescription> {
  return new Map(
    providers.flatMap(({ name, models }) =>
      models.map(({ id, ...description }) => [`${name}/${id}`, description] as const),
    ),
  );
}

/** Reports whether calls go to the same address with the same key. */
function isSame(one: AddedProvider, other: AddedProvider): boolean {
  return one.baseUrl === other.baseUrl && one.sealedKey === other.sealedKey;
}
