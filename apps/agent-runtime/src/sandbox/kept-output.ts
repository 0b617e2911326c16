import type { Readable } from 'node:stream';

/** The beginning of what a program says. The rest is read and forgotten, so that it is never held up. */
export class KeptOutput {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #bytes = 0;

  /** `onBytes` hears how much came, each time. */
  constructor(
    stream: Readable | null,
    private readonly mostBytes: number,
    onBytes: (bytes: number) => void,
  ) {
    stream?.on('data', (chunk: Buffer) => {
      this.#keep(chunk);
      onBytes(chunk.length);
    });
    // Whatever ends the stream, the end of the process says how it went.
    stream?.on('error', () => undefined);
  }

  get text(): string {
    return Buffer.concat(this.#kept).toString('utf8');
  }

  get wasCut(): boolean {
    return this.#bytes > this.#keptBytes;
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = this.mostBytes - this.#keptBytes;
    if (room <= 0) return;
    // A copy: a slice would keep the whole chunk in memory.
    const kept = Buffer.from(chunk.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }
}
