import { createId } from '@paralleldrive/cuid2';
import { AppError } from '@daycare/errors';
import {
  addSizes,
  hasRoomLeft,
  noSize,
  stillPending,
  type HomeSize,
  type Reservation,
} from '../domain/home-quota';
import type { HomeStore } from '../store/home-store';
import { Refusals } from './refusals';

export interface HomeQuotaDeps {
  readonly homeUse: HomeStore;
  readonly limits: HomeSize;
  /** What is in use, by walking. */
  readonly measure: (userId: string) => Promise<HomeSize>;
  readonly now: () => Date;
}

/** Room that was taken; each is given to `settle` once. */
export interface Grant extends Reservation {
  readonly userId: string;
  readonly version: number;
}

const mostTries = 3;
const unlimited = { bytes: Number.MAX_SAFE_INTEGER, entries: Number.MAX_SAFE_INTEGER };

/** Keeps users within their quota, however many replicas write at once. */
export class HomeQuota {
  readonly #deps: HomeQuotaDeps;
  readonly #counting = new Map<string, Promise<HomeSize>>();
  readonly #refusals = new Refusals();

  constructor(deps: HomeQuotaDeps) {
    this.#deps = deps;
  }

  get limits(): HomeSize {
    return this.#deps.limits;
  }

  /** Takes room for a change; throws QUOTA_EXCEEDED when there is not enough. */
  async take(userId: string, room: HomeSize): Promise<Grant> {
    const grant = await this.#reserve(userId, room, this.limits);
    if (grant) return grant;
    const second = await this.#orCountAnew(userId, () => this.#reserve(userId, room, this.limits));
    if (second) return second;
    throw overQuota(this.limits);
  }

  async hasRoom(userId: string): Promise<boolean> {
    const find = async (): Promise<true | undefined> => {
      const known = await this.#deps.homeUse.find(userId);
      if (!known) return undefined;
      const { usedBytes: bytes, usedEntries: entries } = known;
      return hasRoomLeft({ bytes, entries }, this.limits) || undefined;
    };
    return (await find()) ?? (await this.#orCountAnew(userId, find)) ?? false;
  }

  /** For a removal, which needs no room; undefined while nothing is counted. */
  begin(userId: string): Promise<Grant | undefined> {
    return this.#reserve(userId, noSize, unlimited);
  }

  async settle(
    { userId, id, version, bytes, entries }: Grant,
    { used, freed }: { readonly used: HomeSize; readonly freed: HomeSize },
  ): Promise<void> {
    const unused = { bytes: bytes - used.bytes, entries: entries - used.entries };
    await this.#deps.homeUse.settle(userId, { id, version, unused, freed });
  }

  /** One walk serves all who ask meanwhile. */
  recount(userId: string): Promise<HomeSize> {
    const underWay = this.#counting.get(userId);
    if (underWay) return underWay;
    const counting = this.#recount(userId).finally(() => this.#counting.delete(userId));
    this.#counting.set(userId, counting);
    return counting;
  }

  /** The user has less than at the last refusal, by how much is not known. */
  forgetRefusal(userId: string): void {
    this.#refusals.delete(userId);
  }

  /** What is known may be too much, so it is counted before anybody is refused, if not a moment ago. */
  async #orCountAnew<T>(
    userId: string,
    retry: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (this.#refusals.has(userId, this.#deps.now())) return undefined;
    await this.recount(userId);
    const outcome = await retry();
    if (outcome === undefined) this.#refusals.add(userId, this.#deps.now());
    return outcome;
  }

  async #recount(userId: string): Promise<HomeSize> {
    const { homeUse, measure, now } = this.#deps;
    let size = noSize;
    for (let tries = 0; tries < mostTries; tries++) {
      const known = await homeUse.find(userId);
      const pending = stillPending(known?.pending ?? [], now());
      size = pending.reduce(addSizes, await measure(userId));
      const used = { usedBytes: size.bytes, usedEntries: size.entries };
      if (await homeUse.recount(userId, known, { ...used, pending })) break;
    }
    return size;
  }

  async #reserve(userId: string, room: HomeSize, limits: HomeSize): Promise<Grant | undefined> {
    const { bytes, entries } = room;
    const reservation = { id: createId(), bytes, entries, at: this.#deps.now() };
    const version = await this.#deps.homeUse.reserve(userId, reservation, limits);
    return version === undefined ? undefined : { userId, version, ...reservation };
  }
}

function overQuota({ bytes, entries }: HomeSize): AppError {
  const description = `at most ${bytes} bytes in ${entries} files and folders; delete something first`;
  return new AppError('QUOTA_EXCEEDED', `Your files would take too much room: ${description}`, {
    quota: { subject: 'home', description },
  });
}
