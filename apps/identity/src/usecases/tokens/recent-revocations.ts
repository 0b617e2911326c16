import type { Revocation, RevocationStore } from '../../store/revocation-store';

/** Together with how often services ask, well below the time within which a revocation takes effect. */
const maxAgeMs = 1_000;

/**
 * The revocation list as it was at most a second ago, so that services that ask one after the other share
 * one query. Revocations of other replicas show within that time.
 */
export class RecentRevocations {
  #list: readonly Revocation[] = [];
  #readAtMs = -Infinity;

  constructor(
    private readonly deps: {
      readonly revocations: Pick<RevocationStore, 'list'>;
      readonly now: () => Date;
      /** Must be monotonic. */
      readonly nowMs?: () => number;
    },
  ) {}

  async list(): Promise<readonly Revocation[]> {
    if (this.#nowMs() - this.#readAtMs < maxAgeMs) return this.#list;
    return this.read();
  }

  /** The current list. */
  async read(): Promise<readonly Revocation[]> {
    const { revocations, now } = this.deps;
    // Counted from before the query: what was revoked later may be missing.
    const startedAtMs = this.#nowMs();
    const list = await revocations.list(now());
    // A query that was overtaken by a later one must not replace its result.
    if (startedAtMs >= this.#readAtMs) [this.#list, this.#readAtMs] = [list, startedAtMs];
    return list;
  }

  #nowMs(): number {
    return this.deps.nowMs?.() ?? performance.now();
  }
}
