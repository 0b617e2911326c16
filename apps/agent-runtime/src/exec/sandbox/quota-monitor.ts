import { addSizes, hasRoomLeft, type HomeSize } from '../../homes';

export interface QuotaMonitorDeps {
  /** Measures a user's usage by walking their files. */
  readonly measure: (userId: string) => Promise<HomeSize>;
  readonly limits: HomeSize;
  /** Returns the free space on the disk; cheap enough to be called often. */
  readonly freeOnDisk: () => Promise<HomeSize>;
  /** A monotonic clock. */
  readonly nowMs: () => number;
}

interface Measurement {
  /** How much more the user could store when the walk ended. */
  readonly left: HomeSize;
  /** The free space on the disk when the walk began. */
  readonly free: HomeSize;
  readonly endedMs: number;
  readonly tookMs: number;
}

/** Reserved for everyone else on the same disk. */
const minFreeBytes = 256 * 1024 * 1024;
/** The pause after a walk, as a multiple of its duration, so that monitoring costs little. */
const usualPause = 10;
const shortPause = 3;

/** Monitors users' disk usage while their programs run. */
export class QuotaMonitor {
  readonly #deps: QuotaMonitorDeps;
  readonly #walks = new Map<string, Promise<boolean>>();
  readonly #measurements = new Map<string, Measurement>();

  constructor(deps: QuotaMonitorDeps) {
    this.#deps = deps;
  }

  async hasFreeDiskSpace(): Promise<boolean> {
    return (await this.#deps.freeOnDisk()).bytes >= minFreeBytes;
  }

  /**
   * Reports whether a user whose programs are running still has room; meant to be called repeatedly. One walk serves
   * all callers during and shortly after it. A walk does not find deleted files that are still open, so every call
   * also checks the free disk space.
   */
  async hasRoom(userId: string): Promise<boolean> {
    const free = await this.#deps.freeOnDisk();
    if (free.bytes < minFreeBytes) return false;
    const latest = this.#measurements.get(userId);
    if (latest && this.#isRecent(latest, free)) return true;
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
    this.#forgetStale(endedMs);
    this.#measurements.delete(userId);
    // Not cached, because files may be deleted before the next call.
    if (!hasRoomLeft(size, limits)) return false;
    const left = { bytes: limits.bytes - size.bytes, entries: limits.entries - size.entries };
    this.#measurements.set(userId, { left, free, endedMs, tookMs: endedMs - startedMs });
    return true;
  }

  /**
   * Reports whether the latest walk is recent enough. The more space the disk has lost since then, the sooner the next
   * walk is due, because the user's programs may be the cause.
   */
  #isRecent({ left, free: before, endedMs, tookMs }: Measurement, free: HomeSize): boolean {
    const lost = { bytes: before.bytes - free.bytes, entries: before.entries - free.entries };
    if (isMore(lost, addSizes(left, this.#deps.limits))) return false;
    const pause = isMore(lost, left) ? shortPause : usualPause;
    return this.#deps.nowMs() - endedMs < tookMs * pause;
  }

  #forgetStale(nowMs: number): void {
    for (const [userId, { endedMs, tookMs }] of this.#measurements)
      if (nowMs - endedMs >= tookMs * usualPause) this.#measurements.delete(userId);
  }
}

function isMore(one: HomeSize, other: HomeSize): boolean {
  return one.bytes > other.bytes || one.entries > other.entries;
}
