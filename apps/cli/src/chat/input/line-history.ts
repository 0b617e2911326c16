import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The input lines of earlier chats, in a private file. If the file cannot be used, the chat works without a history.
 */
export class LineHistory {
  readonly #file: string;
  readonly #size: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** Returns the lines, newest first. Truncates a file that has grown too long. */
  async load(): Promise<string[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    const recent = lines.slice(-this.#size);
    if (text !== '') await chmod(this.#file, 0o600).catch(() => undefined);
    if (lines.length > 2 * this.#size) await this.#replace(recent).catch(() => undefined);
    return recent.reverse();
  }

  add(line: string): void {
    this.#writing = this.#writing.then(() => this.#append(line)).catch(() => undefined);
  }

  /** Resolves when all writes to the file have ended. */
  async saved(): Promise<void> {
    await this.#writing;
  }

  async #append(line: string): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    await appendFile(this.#file, `${line}\n`, { mode: 0o600 });
  }

  async #replace(lines: readonly string[]): Promise<void> {
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
    await rename(draft, this.#file);
  }
}
