const lastMs = 5_000;

/** Users who were refused recently: a repeated request must not cost a walk each time. */
export class Refusals {
  readonly #refusedAt = new Map<string, number>();

  add(userId: string, now: Date): void {
    for (const [other, at] of this.#refusedAt)
      if (now.getTime() - at >= lastMs) this.#refusedAt.delete(other);
    this.#refusedAt.set(userId, now.getTime());
  }

  has(userId: string, now: Date): boolean {
    return now.getTime() - (this.#refusedAt.get(userId) ?? -Infinity) < lastMs;
  }

  delete(userId: string): void {
    this.#refusedAt.delete(userId);
  }
}
