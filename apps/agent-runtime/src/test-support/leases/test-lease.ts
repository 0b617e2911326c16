import type { Lease } from '../../turns/leases/lease';

/** A lease that lasts until it is ended. */
export class TestLease implements Lease {
  #isOver = false;

  constructor(
    readonly fence: number,
    readonly shard = 0,
  ) {}

  isValid(): boolean {
    return !this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }
}
