import type { Readable } from 'node:stream';

/** Keeps the beginning of a program's output. The rest is read and discarded, so that the program never blocks. */
export class BoundedOutput {
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #bytes = 0;

  /** `onBytes` is called with the size of each chunk. */
  constructor(
    stream: Readable | null,
    private readonly maxBytes: number,
    onBytes: (bytes: number) => void,
  ) {
    stream?.on('data', (chunk: Buffer) => {
      this.#keep(chunk);
      onBytes(chunk.length);
    });
    // Stream errors are ignored: the exit code of the process shows how it ended.
    stream?.on('error', () => undefined);
  }

  get text(): string {
    return Buffer.concat(this.#kept).toString('utf8');
  }

  get wasTruncated(): boolean {
    return this.#bytes > this.#keptBytes;
  }

  #keep(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const freeBytes = this.maxBytes - this.#keptBytes;
    if (freeBytes <= 0) return;
    // Copied, because a slice would keep the whole chunk in memory.
    const kept = Buffer.from(chunk.subarray(0, freeBytes));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }
}
