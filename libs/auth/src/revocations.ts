/** Invalidates a token, or all tokens of a session, user or secret, before they expire. */
export interface Revocation {
  /** The id of a token or session, `user:<id>` of a deleted user, or `credential:<id>` of a secret. */
  readonly id: string;
  /** When the last affected token expires, in epoch milliseconds. */
  readonly expiresAtMs: number;
  /** Only tokens issued before this time are affected, in epoch milliseconds; all if undefined. */
  readonly issuedBeforeMs: number | undefined;
}

/** How long an entry is kept after the last affected token has expired; longer than clocks should ever differ. */
const marginMs = 5 * 60_000;
const trimEveryMs = 60_000;

/** Revocations by id; those that no longer matter are dropped from time to time. */
export class Revocations {
  readonly #byId = new Map<string, Revocation>();
  #trimmedAtMs = 0;

  /** Reports whether a token, session, user or secret is revoked for tokens issued at this time, in epoch seconds. */
  has(id: string, issuedAt: number): boolean {
    const revocation = this.#byId.get(id);
    if (!revocation) return false;
    const { issuedBeforeMs } = revocation;
    return issuedBeforeMs === undefined || issuedAt * 1000 < issuedBeforeMs;
  }

  add(revocations: readonly Revocation[], nowMs: number): void {
    for (const revocation of revocations) this.#byId.set(revocation.id, revocation);
    if (nowMs - this.#trimmedAtMs < trimEveryMs) return;
    this.#trimmedAtMs = nowMs;
    for (const [id, { expiresAtMs }] of this.#byId) {
      if (expiresAtMs + marginMs < nowMs) this.#byId.delete(id);
    }
  }

  clear(): void {
    this.#byId.clear();
  }
}
