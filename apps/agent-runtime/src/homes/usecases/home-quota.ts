import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import {
  addSizes,
  hasRoomLeft,
  noSize,
  stillPending,
  type HomeSize,
  type Reservation,
} from '../domain/home-size';
import type { HomePart, HomeStore } from '../store/home-store';
import { RecentUsers } from '../disk/recent-users';

/**
 * Measures the current usage, e.g. by walking the user's directory; undefined for a kind that cannot be measured here.
 */
export type Measure = (userId: string, kind?: HomePart['kind']) => Promise<HomeSize | undefined>;

export interface HomeQuotaDeps {
  readonly homeUsage: HomeStore;
  readonly limits: HomeSize;
  /** The kind of data to count; users' directories by default. */
  readonly kind?: HomePart['kind'];
  /** Returns the user whose limits apply to the given user: a subuser's owner, otherwise the user itself. */
  readonly ownerOf: (userId: string) => Promise<string>;
  readonly measure: Measure;
  readonly now: () => Date;
}

/** Space that a change has reserved; must be passed to `settle` exactly once. */
export interface SpaceReservation extends Reservation {
  readonly part: HomePart;
  readonly version: number;
}

const maxTries = 3;
const unlimited = { bytes: Number.MAX_SAFE_INTEGER, entries: Number.MAX_SAFE_INTEGER };

/**
 * Keeps what owners and their subusers write within their quota, however many replicas write concurrently; programs can
 * exceed it.
 */
export class HomeQuota {
  readonly #deps: HomeQuotaDeps;
  readonly #counting = new Map<string, Promise<HomeSize>>();
  /** Users who were recently refused space. */
  readonly #refused = new RecentUsers();
  /** Owners whose total was recently counted. */
  readonly #counted = new RecentUsers();

  constructor(deps: HomeQuotaDeps) {
    this.#deps = deps;
  }

  get limits(): HomeSize {
    return this.#deps.limits;
  }

  /** Reserves space for a change; throws QUOTA_EXCEEDED when there is not enough. */
  async take(userId: string, size: HomeSize): Promise<SpaceReservation> {
    const first = await this.#reserve(userId, size, this.limits);
    if (first) return first;
    const second = await this.#recountAndRetry(userId, () =>
      this.#reserve(userId, size, this.limits),
    );
    if (second) return second;
    throw overQuota(this.limits);
  }

  async hasRoom(userId: string): Promise<boolean> {
    const find = async (): Promise<true | undefined> => {
      const total = await this.#deps.homeUsage.findTotal(await this.#partOf(userId));
      return total && hasRoomLeft(total, this.limits) ? true : undefined;
    };
    return (await find()) ?? (await this.#recountAndRetry(userId, find)) ?? false;
  }

  /**
   * Begins a deletion, which needs no space; returns undefined while the size of the owner's data is unknown, because
   * the user's part has not been counted or because there were too many entries to count.
   */
  begin(userId: string): Promise<SpaceReservation | undefined> {
    return this.#reserve(userId, noSize, unlimited);
  }

  /** Ends a reservation; returns false when a measurement has dropped it in the meantime. */
  async settle(
    { part, id, version, bytes, entries }: SpaceReservation,
    { used, freed }: { readonly used: HomeSize; readonly freed: HomeSize },
  ): Promise<boolean> {
    const unused = { bytes: bytes - used.bytes, entries: entries - used.entries };
    return this.#deps.homeUsage.settle(part, { id, version, unused, freed });
  }

  /**
   * Counts the user's data again and returns the owner's total; the owner's other parts are counted again only if
   * that total is too high.
   */
  async recount(userId: string): Promise<HomeSize> {
    const part = await this.#partOf(userId);
    const total = await this.#count(part);
    if (hasRoomLeft(total, this.limits)) return total;
    await this.#countOthers(part);
    return (await this.#deps.homeUsage.findTotal(part)) ?? total;
  }

  /** Call this when the user's usage has fallen by an unknown amount since the last refusal. */
  forgetRefusal(userId: string): void {
    this.#refused.delete(userId);
  }

  /**
   * Measures the user's data and tries again, because the stored usage may be too high. Does neither if the user was
   * refused recently.
   */
  async #recountAndRetry<T>(
    userId: string,
    retry: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (this.#refused.has(userId, this.#deps.now())) return undefined;
    const part = await this.#partOf(userId);
    await this.#count(part);
    const outcome =
      (await retry()) ?? ((await this.#countOthers(part)) ? await retry() : undefined);
    if (outcome === undefined) this.#refused.add(userId, this.#deps.now());
    return outcome;
  }

  /**
   * Counts the owner's other parts, whose stored usage may be too high as well. Together they rarely have more entries
   * than the quota allows, so this takes about as long as counting one full directory; doing so once every few seconds
   * is enough. Returns false when it was done recently.
   */
  async #countOthers({ ownerId, userId, kind }: HomePart): Promise<boolean> {
    const { homeUsage, now } = this.#deps;
    if (this.#counted.has(ownerId, now())) return false;
    this.#counted.add(ownerId, now());
    for (const other of await homeUsage.listParts(ownerId))
      if (other.userId !== userId || other.kind !== kind) await this.#count(other);
    return true;
  }

  /** One walk serves all concurrent callers. */
  #count(part: HomePart): Promise<HomeSize> {
    const key = `${part.userId} ${part.kind}`;
    const underWay = this.#counting.get(key);
    if (underWay) return underWay;
    const counting = this.#countNow(part).finally(() => this.#counting.delete(key));
    this.#counting.set(key, counting);
    return counting;
  }

  async #countNow(part: HomePart): Promise<HomeSize> {
    const { homeUsage, measure, now } = this.#deps;
    let size = noSize;
    for (let tries = 0; tries < maxTries; tries++) {
      const known = await homeUsage.find(part);
      const measured = await measure(part.userId, part.kind);
      if (!measured) break;
      const pending = stillPending(known?.pending ?? [], now(), part.kind);
      size = pending.reduce(addSizes, measured);
      const used = { usedBytes: size.bytes, usedEntries: size.entries };
      if (await homeUsage.recount(part, known, { ...used, pending })) break;
    }
    return (await homeUsage.findTotal(part)) ?? size;
  }

  async #partOf(userId: string): Promise<HomePart> {
    const { ownerOf, kind } = this.#deps;
    return { ownerId: await ownerOf(userId), userId, kind };
  }

  async #reserve(
    userId: string,
    size: HomeSize,
    limits: HomeSize,
  ): Promise<SpaceReservation | undefined> {
    const { bytes, entries } = size;
    const reservation = { id: createId(), bytes, entries, at: this.#deps.now() };
    const part = await this.#partOf(userId);
    const version = await this.#deps.homeUsage.reserve(part, reservation, limits);
    return version === undefined ? undefined : { part, version, ...reservation };
  }
}

function overQuota({ bytes, entries }: HomeSize): AppError {
  const description = `at most ${bytes} bytes in ${entries} files and folders, including those of subusers; delete something first`;
  return new AppError('QUOTA_EXCEEDED', `Your files would exceed the quota: ${description}`, {
    quota: { subject: 'home', description },
  });
}
