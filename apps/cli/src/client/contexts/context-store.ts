import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse, stringify } from 'yaml';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { Contexts } from './context';
import { withFileLock } from './file-lock';

/** The file that stores contexts and their tokens: readable only by its owner, written atomically. */
export class ContextStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<Contexts> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw this.#unusable(error);
    });
    try {
      const { current, contexts } = (parse(text) ?? {}) as Partial<Contexts>;
      return { ...(current ? { current } : {}), contexts: contexts ?? {} };
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /**
   * Changes the file under a lock, so that concurrent commands see each other's changes and never use a refresh token
   * twice.
   */
  async update(change: (before: Contexts) => Contexts | Promise<Contexts>): Promise<Contexts> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    return withFileLock(this.#file, async () => {
      const before = await this.read();
      const after = await change(before);
      if (after !== before) await this.#write(after);
      return after;
    });
  }

  async #write(contexts: Contexts): Promise<void> {
    const draft = `${this.#file}.${process.pid}`;
    try {
      await writeFile(draft, stringify(contexts), { mode: 0o600, flush: true });
      await rename(draft, this.#file);
    } finally {
      await rm(draft, { force: true });
    }
  }

  #unusable(error: unknown): Failure {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return new Failure(
      exitCodes.failure,
      `Cannot use ${this.#file}: ${reason}`,
      'Fix the file, or move it elsewhere and sign in again with "daycare login".',
    );
  }
}
