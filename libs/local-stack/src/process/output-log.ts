import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

const maxLastLines = 200;
const tailBytes = 64 * 1024;
const rotateBytes = 8 * 1024 * 1024;

export type LineListener = (line: string) => void;

/**
 * The log file of one child. The child writes to the file directly, so the child neither waits for a slow
 * launcher nor fails without one; the launcher reads the file as it grows.
 */
export class OutputLog {
  readonly fd: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #startOffset: number;
  #offset: number;
  #partialLine = '';
  #lastLines: string[] | undefined;

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.fd = openForAppend(file);
    this.#startOffset = fstatSync(this.fd).size;
    this.#offset = this.#startOffset;
  }

  /** Passes on the lines that were written since the last call. */
  readNew(onLine: LineListener): void {
    if (this.#lastLines) return;
    const bytes = this.#read(this.#offset);
    this.#offset += bytes.length;
    const text = this.#partialLine + this.#decoder.write(bytes);
    const lines = text.split('\n');
    this.#partialLine = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }

  /** The last lines of this run, oldest first; still available after `close`. */
  lastLines(): string[] {
    if (this.#lastLines) return [...this.#lastLines];
    const { size } = fstatSync(this.fd);
    const tail = this.#read(Math.max(this.#startOffset, size - tailBytes));
    return tail.toString('utf8').split('\n').filter(Boolean).slice(-maxLastLines);
  }

  close(): void {
    this.#lastLines ??= this.lastLines();
    closeSync(this.fd);
  }

  #read(from: number): Buffer {
    const buffer = Buffer.alloc(Math.max(0, fstatSync(this.fd).size - from));
    return buffer.subarray(0, readSync(this.fd, buffer, 0, buffer.length, from));
  }
}

function openForAppend(file: string): number {
  const fd = openSync(file, 'a+');
  if (fstatSync(fd).size < rotateBytes) return fd;
  closeSync(fd);
  renameSync(file, `${file}.1`);
  return openSync(file, 'a+');
}
