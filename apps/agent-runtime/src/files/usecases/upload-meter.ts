/** The share of a quota that a file takes up. */
export interface StoredSize {
  readonly bytes: number;
  readonly entries: number;
}

/** The quota that uploads share with users' directories, counted per owner. */
export interface UploadQuota {
  /** Reserves space; throws QUOTA_EXCEEDED when there is not enough. */
  take(userId: string, space: StoredSize): Promise<UploadReservation>;
  /** Recounts what the user has stored. */
  recount(userId: string): Promise<unknown>;
}

/** Reserved space. */
export interface UploadReservation extends StoredSize {
  /** Call it once; unused space is returned. */
  settle(used: StoredSize): Promise<void>;
}

const stepBytes = 1_048_576;

/** Reserves space for an upload as it arrives, because its length is not known beforehand. */
export class UploadMeter {
  readonly #reservations: UploadReservation[] = [];
  #bytes = 0;
  #reservedBytes = 0;
  #isComplete = false;

  constructor(
    private readonly quota: UploadQuota,
    private readonly userId: string,
  ) {}

  /** Whether the whole upload has arrived; if so, it may have been stored even if storing it reported a failure. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Passes on each piece after reserving space for it. */
  async *pass(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    await this.#take(1);
    for await (const piece of pieces) {
      this.#bytes += piece.length;
      if (this.#bytes > this.#reservedBytes) await this.#take(0, this.#bytes - this.#reservedBytes);
      yield piece;
    }
    this.#isComplete = true;
  }

  /** Returns unused space: all of it if nothing was stored. */
  async settle(isStored: boolean): Promise<void> {
    let usedBytes = isStored ? this.#bytes : 0;
    for (const reservation of this.#reservations.splice(0)) {
      const bytes = Math.min(usedBytes, reservation.bytes);
      usedBytes -= bytes;
      await reservation.settle({ bytes, entries: isStored ? reservation.entries : 0 });
    }
  }

  /**
   * Reserves the missing space; as an upload grows, reserves up to 1 MiB in advance, or only what is missing if that
   * fails.
   */
  async #take(entries: number, missing = 0): Promise<void> {
    const step = missing === 0 ? 0 : Math.max(missing, Math.min(stepBytes, this.#reservedBytes));
    const reservation = await this.quota
      .take(this.userId, { bytes: step, entries })
      .catch((error: unknown) => {
        if (step === missing) throw error;
        return this.quota.take(this.userId, { bytes: missing, entries });
      });
    this.#reservations.push(reservation);
    this.#reservedBytes += reservation.bytes;
  }
}
