import { addSizes, hasRoomLeft, type HomeSize } from '../domain/home-quota';

export interface RoomGaugeDeps {
  /** What a user has, by walking. */
  readonly measure: (userId: string) => Promise<HomeSize>;
  readonly limits: HomeSize;
  /** What is free on the disk; costs next to nothing. */
  readonly freeOnDisk: () => Promise<HomeSize>;
  /** Of a clock that never goes back. */
  readonly nowMs: () => number;
}

interface Look {
  /** How much more the user could have had. */
  readonly left: HomeSize;
  readonly free: HomeSize;
  readonly endedMs: number;
  readonly tookMs: number;
}

/** For everybody else on the same disk. */
const leastFreeBytes = 256 * 1024 * 1024;
/** How many times as long as a walk took the next one is put off, so that programs cost little. */
const usualPause = 10;
const shortPause = 3;

/** Watches over the room of users while their programs run. */
export class RoomGauge {
  readonly #deps: RoomGaugeDeps;
  readonly #walks = new Map<string, Promise<boolean>>();
  readonly #looks = new Map<string, Look>();

  constructor(deps: RoomGaugeDeps) {
    this.#deps = deps;
  }

  async isDiskFree(): Promise<boolean> {
    return (await this.#deps.freeOnDisk()).bytes >= leastFreeBytes;
  }

  /**
   * Whether a user whose programs run still has room; to be asked again and again. One walk serves all
   * who ask meanwhile and soon after it. Files that have no name any more are found by no walk, so the
   * disk itself is looked at each time.
   */
  async hasRoom(userId: string): Promise<boolean> {
    const free = await this.#deps.freeOnDisk();
    if (free.bytes < leastFreeBytes) return false;
    const look = this.#looks.get(userId);
    if (look && this.#isRecent(look, free)) return true;
    const underWay = this.#walks.get(userId);
    if (underWay) return underWay;
    const walk = this.#walk(userId, free).finally(() => this.#walks.delete(userId));
    this.#walks.set(userId, walk);
    return walk;
  }

  async #walk(userId: string, free: HomeSize): Promise<boolean> {
    const { measure, limits, nowMs } = this.#deps;
    const startedMs = nowMs();
    const size = await measure(userId);
    const endedMs = nowMs();
    this.#forgetOld(endedMs);
    this.#looks.delete(userId);
    // Not kept: whoever asks later may have made room meanwhile.
    if (!hasRoomLeft(size, limits)) return false;
    const left = { bytes: limits.bytes - size.bytes, entries: limits.entries - size.entries };
    this.#looks.set(userId, { left, free, endedMs, tookMs: endedMs - startedMs });
    return true;
  }

  /** When the disk has lost more than was left for the user, it may have been the user's programs. */
  #isRecent({ left, free: before, endedMs, tookMs }: Look, free: HomeSize): boolean {
    const lost = { bytes: before.bytes - free.bytes, entries: before.entries - free.entries };
    if (isMore(lost, addSizes(left, this.#deps.limits))) return false;
    const pause = isMore(lost, left) ? shortPause : usualPause;
    return this.#deps.nowMs() - endedMs < tookMs * pause;
  }

  #forgetOld(nowMs: number): void {
    for (const [userId, { endedMs, tookMs }] of this.#looks)
      if (nowMs - endedMs >= tookMs * usualPause) this.#looks.delete(userId);
  }
}

function isMore(one: HomeSize, other: HomeSize): boolean {
  return one.bytes > other.bytes || one.entries > other.entries;
}
