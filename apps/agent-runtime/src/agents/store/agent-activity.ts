import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import { groupCalls } from '@daycare/mongo';

/** An agent received or recorded something that is not silent. */
export interface Activity {
  readonly agentId: string;
  readonly at: Date;
  /** Whether a person wrote to the agent. */
  readonly byPerson: boolean;
}

/**
 * Stores, in one write, when each of these agents was last active; may skip an agent whose stored time is at most
 * `activityPrecisionMs` older, unless a person wrote to it.
 */
export type StoreActivity = (
  activeAt: ReadonlyMap<string, Date>,
  byPerson: boolean,
) => Promise<unknown>;

/** By how much the stored time of an agent's last activity may be too early. */
export const activityPrecisionMs = 1_000;
const maxRemembered = 100_000;

/**
 * Stores the time of each agent's last activity, accurate to a second. Activity less than a second after the agent's
 * previous write is postponed by up to a second, and only the latest is then stored. The postponed write is needed
 * because the store may have skipped the previous one in favour of another replica's time, which is up to a second
 * earlier. If the process crashes before the postponed write, the stored time can be up to two seconds too early.
 * Activity by a person is never postponed, because its order decides which of the person's agents is the most recent.
 */
export class AgentActivity {
  readonly #lastMs = new LRUCache<string, number>(limitEntries(maxRemembered));
  readonly #postponed = new Map<string, Activity>();
  readonly #write: (activity: Activity) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: StoreActivity) {
    this.#write = groupCalls(async (batch) => {
      for (const byPerson of [true, false]) await storeAll(batch, byPerson, store);
      return batch.map(() => undefined);
    });
  }

  async record(activity: Activity): Promise<void> {
    const { agentId, at, byPerson } = activity;
    const lastMs = this.#lastMs.get(agentId);
    if (!byPerson && lastMs !== undefined && at.getTime() - lastMs < activityPrecisionMs)
      return this.#postpone(activity);
    await this.#writeNow(activity);
  }

  async #writeNow(activity: Activity): Promise<void> {
    const { agentId, at } = activity;
    this.#lastMs.set(agentId, at.getTime());
    try {
      await this.#write(activity);
    } catch (error) {
      this.#lastMs.delete(agentId);
      throw error;
    }
  }

  #postpone(activity: Activity): void {
    this.#postponed.set(activity.agentId, activity);
    this.#timer ??= setTimeout(() => this.#writePostponed(), activityPrecisionMs).unref();
  }

  #writePostponed(): void {
    const postponed = [...this.#postponed.values()];
    this.#postponed.clear();
    this.#timer = undefined;
    // Failures are ignored: no caller is waiting for this write, and the next activity stores a later time.
    for (const activity of postponed) this.#writeNow(activity).catch(() => undefined);
  }
}

async function storeAll(
  batch: readonly Activity[],
  byPerson: boolean,
  store: StoreActivity,
): Promise<void> {
  const matching = batch.filter((each) => each.byPerson === byPerson);
  if (matching.length === 0) return;
  // Each agent keeps its own time: a single time for the whole batch could rank its agents wrongly against those of
  // the next batch.
  const activeAt = new Map<string, Date>();
  for (const { agentId, at } of matching)
    if (at > (activeAt.get(agentId) ?? new Date(0))) activeAt.set(agentId, at);
  await store(activeAt, byPerson);
}
