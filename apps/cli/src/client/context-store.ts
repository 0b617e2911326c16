import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import type { Contexts } from './context';

const retryMs = 20;
/** Who holds the lock this long is gone: a change takes one call to identity at most. */
const staleMs = 30_000;

/** The file that keeps contexts and their tokens: for its owner alone, always whole. */
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
   * Changes the file. Of two commands that do so at the same moment the second sees what the first
   * has made of it, so that no refresh token is exchanged twice.
   */
  async update(change: (before: Contexts) => Contexts | Promise<Contexts>): Promise<Contexts> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const lock = `${this.#file}.lock`;
    await takeLock(lock);
    try {
      const before = await this.read();
      const after = await change(before);
      if (after !== before) await this.#write(after);
      return after;
    } finally {
      await rm(lock, { force: true });
    }
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
      `${this.#file} cannot be used: ${reason}`,
      'Mend it, or move it away and sign in again with "daycare login".',
    );
  }
}

/** The lock names its holder, so that one that was killed holds up nobody. */
async function takeLock(lock: string): Promise<void> {
  const draft = `${lock}.${randomUUID()}`;
  await writeFile(draft, String(process.pid), { mode: 0o600 });
  try {
    while (!(await tryToLink(draft, lock))) {
      if (await isAbandoned(lock)) await rm(lock, { force: true });
      else await delay(retryMs);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function tryToLink(draft: string, lock: string): Promise<boolean> {
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, pid] = await Promise.all([stat(lock), readFile(lock, 'utf8')]);
    return Date.now() - mtimeMs > staleMs || !isAlive(Number(pid));
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
