import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';

const recentMs = 5_000;
const maxUsers = 10_000;

/** Remembers for whom something was done in the last few seconds, so that repeated requests do not each cost a walk. */
export class RecentUsers {
  readonly #addedAt = new LRUCache<string, number>(limitEntries(maxUsers));

  add(userId: string, now: Date): void {
    this.#addedAt.set(userId, now.getTime());
  }

  has(userId: string, now: Date): boolean {
    return now.getTime() - (this.#addedAt.get(userId) ?? -Infinity) < recentMs;
  }

  delete(userId: string): void {
    this.#addedAt.delete(userId);
  }
}
