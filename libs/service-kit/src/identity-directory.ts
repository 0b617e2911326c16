import { BoundedCache, type ServiceCredential } from '@daycare/auth';
import type { IdentityServiceService, User } from '@daycare/contracts/identity';
import { AppError } from '@daycare/errors';
import { ownFault } from './own-fault';
import type { RpcClient } from '@daycare/rpc';

/** What never changes about a user. Names and descriptions do, so they are not here. */
export interface DirectoryEntry {
  readonly userId: string;
  readonly nametag: string;
  /** The owner, when the user is a subuser. */
  readonly parentUserId: string | undefined;
}

/** What the directory needs to know of revocations: who is gone, and whether we would have heard. */
export interface GoneUsers {
  isRevoked(id: string): boolean;
  /** When the list was last known to be complete, in epoch milliseconds. */
  readonly freshAt: number;
}

export interface IdentityDirectoryOptions {
  readonly identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser' | 'resolveNametag'>;
  readonly credential: Pick<ServiceCredential, 'metadata'>;
  readonly gone: GoneUsers;
  readonly now?: () => number;
  readonly capacity?: number;
}

/** Out of touch for so long, an entry may have been deleted and the news of it expired. */
const longestSilenceMs = 5 * 60_000;

/**
 * Who is behind a nametag or an id, asked of identity once: nametags and parents never change. Users
 * that are gone disappear with the next revocation list. Unknown names are asked for every time.
 */
export class IdentityDirectory {
  readonly #byNametag: BoundedCache<string, DirectoryEntry>;
  readonly #byId: BoundedCache<string, DirectoryEntry>;
  readonly #underWay = new Map<string, Promise<DirectoryEntry | undefined>>();
  readonly #now: () => number;

  constructor(private readonly options: IdentityDirectoryOptions) {
    this.#byNametag = new BoundedCache(options.capacity ?? 100_000);
    this.#byId = new BoundedCache(options.capacity ?? 100_000);
    this.#now = options.now ?? Date.now;
  }

  /** Undefined when there is no such user. The nametag is given as it is stored: lower-case, trimmed. */
  findByNametag(nametag: string): Promise<DirectoryEntry | undefined> {
    const { identity } = this.options;
    return this.#find(this.#byNametag, nametag, async (metadata) =>
      identity.resolveNametag({ nametag }, { metadata }),
    );
  }

  findById(userId: string): Promise<DirectoryEntry | undefined> {
    const { identity } = this.options;
    return this.#find(this.#byId, userId, async (metadata) =>
      identity.getUser({ userId }, { metadata }),
    );
  }

  async #find(
    cache: BoundedCache<string, DirectoryEntry>,
    key: string,
    ask: (metadata: Record<string, string>) => Promise<{ user?: User | undefined }>,
  ): Promise<DirectoryEntry | undefined> {
    const known = cache.get(key);
    if (known && this.#stillHolds(known)) return known;
    const flight = `${cache === this.#byId ? 'id' : 'nametag'} ${key}`;
    const asked =
      this.#underWay.get(flight) ?? this.#ask(ask).finally(() => this.#underWay.delete(flight));
    this.#underWay.set(flight, asked);
    return asked;
  }

  /** Drops users that are gone; called with every list of what was revoked. */
  forgetRevoked(revoked: ReadonlySet<string>): void {
    for (const id of revoked) {
      const entry = id.startsWith('user:') ? this.#byId.get(id.slice('user:'.length)) : undefined;
      if (entry) this.#forget(entry);
    }
  }

  #stillHolds(entry: DirectoryEntry): boolean {
    const { gone } = this.options;
    const ids = [entry.userId, entry.parentUserId].filter((id) => id !== undefined);
    const isGone = ids.some((id) => gone.isRevoked(`user:${id}`));
    if (isGone) this.#forget(entry);
    return !isGone && this.#now() - gone.freshAt < longestSilenceMs;
  }

  async #ask(
    ask: (metadata: Record<string, string>) => Promise<{ user?: User | undefined }>,
  ): Promise<DirectoryEntry | undefined> {
    try {
      const { user } = await ask(await this.options.credential.metadata('identity'));
      return user && this.#remember(user);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw ownFault(error);
    }
  }

  #remember({ id: userId, nametag, parentUserId }: User): DirectoryEntry {
    const entry = { userId, nametag, parentUserId: parentUserId || undefined };
    this.#byNametag.set(nametag, entry);
    this.#byId.set(userId, entry);
    return entry;
  }

  #forget({ userId, nametag }: DirectoryEntry): void {
    this.#byId.delete(userId);
    this.#byNametag.delete(nametag);
  }
}
