import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

const keptLines = 200;
const tailBytes = 64 * 1024;
const rotateBytes = 8 * 1024 * 1024;

export type LineListener = (line: string) => void;

/**
 * The log file of one child. The child writes into it by itself, so it neither waits for us when we
 * are slow nor fails when we are gone; we read along.
 */
export class OutputLog {
  readonly fd: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #startOffset: number;
  #offset: number;
  #rest = '';
  #lastLines: string[] | undefined;

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.fd = openForAppend(file);
    this.#startOffset = fstatSync(this.fd).size;
    this.#offset = this.#startOffset;
  }

  /** Hands over the lines that were written since the last call. */
  readOn(onLine: LineListener): void {
    if (this.#lastLines) return;
    const bytes = this.#read(this.#offset);
    this.#offset += bytes.length;
    const text = this.#rest + this.#decoder.write(bytes);
    const lines = text.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }

  /** The last lines of the present run, oldest first; also after `close`. */
  lastLines(): string[] {
    if (this.#lastLines) return [...this.#lastLines];
    const { size } = fstatSync(this.fd);
    const tail = this.#read(Math.max(this.#startOffset, size - tailBytes));
    return tail.toString('utf8').split('\n').filter(Boolean).slice(-keptLines);
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
