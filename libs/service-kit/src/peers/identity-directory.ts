import { LRUCache } from 'lru-cache';
import type { ServiceCredential } from '@daycare/auth';
import type { IdentityServiceService, User } from '@daycare/contracts/identity';
import { AppError, limitEntries } from '@daycare/api';
import { makeCallPeer } from './call-peer';
import type { CallOptions, RpcClient } from '@daycare/rpc';

/** What never changes about a user; names and descriptions can change, so they are not included. */
export interface DirectoryEntry {
  readonly userId: string;
  readonly nametag: string;
  /** The owner, when the user is a subuser. */
  readonly parentUserId: string | undefined;
  /** The client that may act for the user; absent when there is none. */
  readonly client?: string;
}

/** The revocation list, from which the directory learns of deleted users. */
export interface RevocationList {
  isRevoked(id: string): boolean;
  /** When the list was last known to be complete, in epoch milliseconds. */
  readonly freshAt: number;
}

export interface IdentityDirectoryOptions {
  readonly identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser' | 'resolveNametag'>;
  readonly credential: Pick<ServiceCredential, 'metadata'>;
  readonly revocations: RevocationList;
  readonly now?: () => number;
  readonly capacity?: number;
}

/** What has been revoked since the last update or, if the list was restarted, in total. */
interface RevokedIds {
  readonly revoked: readonly { readonly id: string }[];
  readonly isRestarted: boolean;
}

type FetchUser = (
  options: Pick<CallOptions, 'metadataFor'>,
) => Promise<{ user?: User | undefined }>;

/** Every revocation is listed for at least this long. */
const minRevocationMs = 60_000;

/**
 * If the revocation list is older than this, cached users are not used, because they may have been deleted since.
 */
const maxListAgeMs = 5 * 60_000;

/**
 * Finds users by nametag or id and caches them, because nametags and parents never change. Deleted users are dropped
 * with the next update of the revocations. Unknown nametags are not cached.
 */
export class IdentityDirectory {
  readonly #byNametag: LRUCache<string, DirectoryEntry>;
  readonly #byId: LRUCache<string, DirectoryEntry>;
  readonly #inFlight = new Map<string, Promise<DirectoryEntry | undefined>>();
  readonly #now: () => number;
  readonly #callIdentity: ReturnType<typeof makeCallPeer>;

  constructor(private readonly options: IdentityDirectoryOptions) {
    const max = options.capacity ?? 100_000;
    // Both caches contain the same users: a deleted user is found by id, so no user may remain cached by nametag alone.
    this.#byNametag = new LRUCache({
      ...limitEntries(max),
      dispose: ({ userId }, _key, reason) => {
        if (reason === 'evict') this.#byId.delete(userId);
      },
    });
    this.#byId = new LRUCache({
      ...limitEntries(max),
      dispose: ({ nametag }, _key, reason) => {
        if (reason === 'evict') this.#byNametag.delete(nametag);
      },
    });
    this.#now = options.now ?? Date.now;
    this.#callIdentity = makeCallPeer(options.credential, 'identity');
  }

  /**
   * Returns undefined if there is no such user. The nametag must be in stored form: lower-case and trimmed.
   * `onFetch` is called if the user has to be fetched from identity.
   */
  findByNametag(nametag: string, onFetch?: () => void): Promise<DirectoryEntry | undefined> {
    const { identity } = this.options;
    const fetchUser: FetchUser = (options) => identity.resolveNametag({ nametag }, options);
    return this.#find(this.#byNametag, nametag, fetchUser, onFetch);
  }

  findById(userId: string, onFetch?: () => void): Promise<DirectoryEntry | undefined> {
    const { identity } = this.options;
    const fetchUser: FetchUser = (options) => identity.getUser({ userId }, options);
    return this.#find(this.#byId, userId, fetchUser, onFetch);
  }

  async #find(
    cache: LRUCache<string, DirectoryEntry>,
    key: string,
    fetchUser: FetchUser,
    onFetch: () => void = () => undefined,
  ): Promise<DirectoryEntry | undefined> {
    const cached = cache.get(key);
    if (cached && this.#isCurrent(cached)) return this.#touch(cached);
    onFetch();
    const flightKey = `${cache === this.#byId ? 'id' : 'nametag'} ${key}`;
    const pending =
      this.#inFlight.get(flightKey) ??
      this.#fetch(fetchUser).finally(() => this.#inFlight.delete(flightKey));
    this.#inFlight.set(flightKey, pending);
    return pending;
  }

  /**
   * Drops deleted users. Must be called with every update of the revocations and the time since the last complete one
   * was fetched.
   */
  onRevocations({ revoked, isRestarted }: RevokedIds, silenceMs: number): void {
    if (isRestarted || silenceMs > minRevocationMs) {
      // A deletion may have been missed.
      this.#byId.clear();
      this.#byNametag.clear();
    }
    for (const { id } of revoked) {
      const entry = id.startsWith('user:') ? this.#byId.get(id.slice('user:'.length)) : undefined;
      if (entry) this.#forget(entry);
    }
  }

  #isCurrent(entry: DirectoryEntry): boolean {
    const { revocations } = this.options;
    const ids = [entry.userId, entry.parentUserId].filter((id) => id !== undefined);
    const isDeleted = ids.some((id) => revocations.isRevoked(`user:${id}`));
    if (isDeleted) this.#forget(entry);
    return !isDeleted && this.#now() - revocations.freshAt < maxListAgeMs;
  }

  async #fetch(fetchUser: FetchUser): Promise<DirectoryEntry | undefined> {
    try {
      const { user } = await this.#callIdentity(fetchUser);
      return user && this.#remember(user);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  #remember({ id: userId, nametag, parentUserId, client }: User): DirectoryEntry {
    const withoutClient = { userId, nametag, parentUserId: parentUserId || undefined };
    const entry = client === undefined ? withoutClient : { ...withoutClient, client };
    this.#byNametag.set(nametag, entry);
    this.#byId.set(userId, entry);
    return entry;
  }

  /** Marks a user as used in both caches, so that a user who is looked up in only one is not evicted from the other. */
  #touch(entry: DirectoryEntry): DirectoryEntry {
    this.#byId.get(entry.userId);
    this.#byNametag.get(entry.nametag);
    return entry;
  }

  #forget({ userId, nametag }: DirectoryEntry): void {
    this.#byId.delete(userId);
    this.#byNametag.delete(nametag);
  }
}
