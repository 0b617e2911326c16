import { createId } from '@paralleldrive/cuid2';
import { AppError } from '@daycare/errors';
import { stillPending, type Reservation } from '../domain/home-quota';
import type { HomeStore } from '../store/home-store';

export interface HomeQuotaDeps {
  readonly homeUse: HomeStore;
  readonly quotaBytes: number;
  /** Bytes in use, by walking. */
  readonly measure: (userId: string) => Promise<number>;
  readonly now: () => Date;
}

/** Room that was taken; each is given to `settle` once. */
export interface Grant extends Reservation {
  readonly userId: string;
  readonly version: number;
}

const mostTries = 3;

/** Keeps users within their quota, however many replicas write at once. */
export class HomeQuota {
  readonly #deps: HomeQuotaDeps;
  readonly #counting = new Map<string, Promise<number>>();

  constructor(deps: HomeQuotaDeps) {
    this.#deps = deps;
  }

  /** Takes room for a change. What is known may be too much, so it is measured before anybody is refused. */
  async take(userId: string, bytes: number): Promise<Grant> {
    const grant = await this.#reserve(userId, bytes, this.#deps.quotaBytes);
    if (grant) return grant;
    await this.recount(userId);
    const second = await this.#reserve(userId, bytes, this.#deps.quotaBytes);
    if (second) return second;
    throw overQuota(this.#deps.quotaBytes);
  }

  /** For a removal, which needs no room; undefined while nothing is counted. */
  begin(userId: string): Promise<Grant | undefined> {
    return this.#reserve(userId, 0, Number.MAX_SAFE_INTEGER);
  }

  async settle(
    { userId, id, version, bytes }: Grant,
    { usedBytes, freedBytes }: { readonly usedBytes: number; readonly freedBytes: number },
  ): Promise<void> {
    const unusedBytes = bytes - usedBytes;
    await this.#deps.homeUse.settle(userId, { id, version, unusedBytes, freedBytes });
  }

  /** One walk serves all who ask meanwhile. */
  recount(userId: string): Promise<number> {
    const underWay = this.#counting.get(userId);
    if (underWay) return underWay;
    const counting = this.#recount(userId).finally(() => this.#counting.delete(userId));
    this.#counting.set(userId, counting);
    return counting;
  }

  async #recount(userId: string): Promise<number> {
    const { homeUse, measure, now } = this.#deps;
    let usedBytes = 0;
    for (let tries = 0; tries < mostTries; tries++) {
      const known = await homeUse.find(userId);
      const pending = stillPending(known?.pending ?? [], now());
      usedBytes = pending.reduce((sum, { bytes }) => sum + bytes, await measure(userId));
      if (await homeUse.recount(userId, known, { usedBytes, pending })) break;
    }
    return usedBytes;
  }

  async #reserve(userId: string, bytes: number, quotaBytes: number): Promise<Grant | undefined> {
    const reservation = { id: createId(), bytes, at: this.#deps.now() };
    const version = await this.#deps.homeUse.reserve(userId, reservation, quotaBytes);
    return version === undefined ? undefined : { userId, version, ...reservation };
  }
}

function overQuota(quotaBytes: number): AppError {
  const description = `at most ${quotaBytes} bytes; delete something first`;
  return new AppError('QUOTA_EXCEEDED', `Your files would take too much room: ${description}`, {
    quota: { subject: 'home', description },
  });
}
