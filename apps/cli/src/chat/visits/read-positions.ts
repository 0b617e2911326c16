import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const maxAgents = 1_000;

/**
 * The last record shown on this machine in each agent's chat, stored in a private file. If the file is lost, or the
 * person chats on another machine, records count as new again.
 */
export class ReadPositions {
  readonly #file: string;
  readonly #seen: Map<string, number>;
  #writing: Promise<void> = Promise.resolve();
  #isDirty = false;

  private constructor(file: string, seen: Map<string, number>) {
    this.#file = file;
    this.#seen = seen;
  }

  static async load(file: string): Promise<ReadPositions> {
    return new ReadPositions(file, await read(file));
  }

  /** The sequence number of the last record shown; undefined for an agent whose chat has never been shown. */
  of(agentId: string): number | undefined {
    return this.#seen.get(agentId);
  }

  /** Never lowers a position. Moves the agent to the end of the map; entries at its start are dropped first. */
  set(agentId: string, sequence: number): void {
    const before = this.#seen.get(agentId) ?? -1;
    this.#seen.delete(agentId);
    this.#seen.set(agentId, Math.max(before, sequence));
    if (sequence <= before) return;
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#writing = this.#writing.then(() => this.#save()).catch(() => undefined);
  }

  /** Resolves when everything is in the file. */
  async saved(): Promise<void> {
    await this.#writing;
  }

  /** Another chat may have written in the meantime; the higher position is kept. */
  async #save(): Promise<void> {
    this.#isDirty = false;
    const stored = await read(this.#file);
    for (const [agentId, sequence] of this.#seen) {
      const highest = Math.max(sequence, stored.get(agentId) ?? 0);
      stored.delete(agentId);
      stored.set(agentId, highest);
    }
    const kept = [...stored].slice(-maxAgents);
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(Object.fromEntries(kept))}\n`, { mode: 0o600 });
    await rename(draft, this.#file);
  }
}

/** Empty when the file is missing or is not JSON. Entries that are not positions are ignored. */
async function read(file: string): Promise<Map<string, number>> {
  try {
    const stored = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    const known = Object.entries(stored).filter(
      (each): each is [string, number] => Number.isSafeInteger(each[1]) && Number(each[1]) >= 0,
    );
    return new Map(known);
  } catch {
    return new Map();
  }
}
