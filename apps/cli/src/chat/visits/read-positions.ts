import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const maxAgents = 1_000;

/**
 * The last record shown on this machine in each agent's chat, for the 1,000 agents whose records were shown most
 * recently, stored in a private file. If the file is lost, or the person chats on another machine, records are shown
 * again.
 */
export class ReadPositions {
  readonly #file: string;
  readonly #positions: Map<string, number>;
  #writing: Promise<void> = Promise.resolve();
  #isDirty = false;

  private constructor(file: string, positions: Map<string, number>) {
    this.#file = file;
    this.#positions = positions;
  }

  static async load(file: string): Promise<ReadPositions> {
    return new ReadPositions(file, await read(file));
  }

  /** The sequence number of the last record shown; undefined if none is stored for this agent. */
  of(agentId: string): number | undefined {
    return this.#positions.get(agentId);
  }

  /** Never lowers a position. Moves the agent to the end of the map, because entries at its start are dropped first. */
  set(agentId: string, sequence: number): void {
    const previous = this.#positions.get(agentId) ?? -1;
    this.#positions.delete(agentId);
    this.#positions.set(agentId, Math.max(previous, sequence));
    if (sequence <= previous) return;
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#writing = this.#writing.then(() => this.#save()).catch(() => undefined);
  }

  /** Resolves when all writes to the file have ended. */
  async saved(): Promise<void> {
    await this.#writing;
  }

  /** Merges with the positions that other chats have stored; keeps the higher position for each agent. */
  async #save(): Promise<void> {
    this.#isDirty = false;
    const stored = await read(this.#file);
    for (const [agentId, sequence] of this.#positions) {
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

/** Returns no positions when the file is missing or is not JSON. Ignores entries that are not positions. */
async function read(file: string): Promise<Map<string, number>> {
  try {
    const stored = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    const positions = Object.entries(stored).filter(
      (entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) >= 0,
    );
    return new Map(positions);
  } catch {
    return new Map();
  }
}
