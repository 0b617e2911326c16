const recentMs = 5_000;

/** Remembers for whom something was done in the last few seconds, so that repeated requests do not each cost a walk. */
export class RecentUsers {
  readonly #addedAt = new Map<string, number>();

  add(userId: string, now: Date): void {
    for (const [other, at] of this.#addedAt)
      if (now.getTime() - at >= recentMs) this.#addedAt.delete(other);
    this.#addedAt.set(userId, now.getTime());
  }

  has(userId: string, now: Date): boolean {
    return now.getTime() - (this.#addedAt.get(userId) ?? -Infinity) < recentMs;
  }

  delete(userId: string): void {
    this.#addedAt.delete(userId);
  }
}
