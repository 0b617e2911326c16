import type { Trust } from '@daycare/api';
import {
  authorOf,
  lowestAuthor,
  settledBefore,
  traceEndsAfterMs,
  type ProvenanceRow,
} from './domain/provenance';
import { hashOf } from './disk/content-hash';
import type { HomeFiles } from './disk/home-files';
import type { ListedTrace, ProgramTrace, ProgramTraceStore } from './store/program-trace-store';
import type { ProvenanceStore } from './store/provenance-store';

export interface ProgramProvenanceDeps {
  readonly rows: ProvenanceStore;
  readonly traces: ProgramTraceStore;
  readonly files: Pick<HomeFiles, 'changedSince' | 'nextFileTimeMs' | 'inodesOf' | 'read'>;
  readonly now: () => Date;
}

/** The folders that programs can write to; they can also read `skills`. */
const writableFolders = ['home', 'apps'] as const;
const maxFileBytes = 1024 * 1024;
const batchSize = 1_000;

/** Tracks how programs change the provenance of the files they can read and write. */
export class ProgramProvenance {
  readonly #deps: ProgramProvenanceDeps;

  constructor(deps: ProgramProvenanceDeps) {
    this.#deps = deps;
  }

  /** Records that a program is about to run; call it right before the program starts. `trust` is its turn's trust. */
  async begin(userId: string, id: string, trust: Trust): Promise<ProgramTrace> {
    const { traces, files } = this.#deps;
    const startedMs = await files.nextFileTimeMs(userId);
    // The trace is stored before the foreign files are listed, so that files marked from now on are marked later than
    // the trace's start.
    const draft = { id, userId, trust, startedMs, foreignInodes: [] };
    await traces.begin(draft);
    const seen = await this.#findForeign(userId);
    const lowest = lowestAuthor([trust, ...seen.authors]) ?? trust;
    return traces.begin({ ...draft, trust: lowest, foreignInodes: seen.inodes });
  }

  /**
   * Marks the files that the program changed; call this once none of its processes are left. Returns the lowest trust
   * that its output may have; undefined when the output can only be the user's own text.
   */
  async end(trace: ProgramTrace): Promise<Trust | undefined> {
    const { rows, traces, files } = this.#deps;
    const { userId, id, startedMs: sinceMs, foreignInodes } = trace;
    const seen = await this.#findForeign(userId, trace.startedAt);
    const author = lowestAuthor([trace.trust, ...seen.authors]);
    if (author) {
      const test = { sinceMs, inodes: new Set(foreignInodes) };
      const changed = [...(await files.changedSince(userId, writableFolders, test))];
      for (let from = 0; from < changed.length; from += batchSize)
        await rows.mark(userId, changed.slice(from, from + batchSize), author);
    }
    const before = settledBefore(this.#deps.now());
    for (let from = 0; from < seen.missing.length; from += batchSize)
      await rows.forgetFiles(userId, seen.missing.slice(from, from + batchSize), before);
    await traces.end(id);
    return author;
  }

  /**
   * Returns the lowest trust of the text that running programs may have written to these files, since a program may
   * copy any foreign text that it can read; undefined when they cannot have written foreign text.
   */
  async authorOfRunningPrograms(
    userId: string,
    paths: readonly string[],
  ): Promise<Trust | undefined> {
    const isWritable = (path: string): boolean =>
      writableFolders.some((folder) => path.startsWith(`${folder}/`));
    if (!paths.some(isWritable)) return;
    const running = await this.#listRunning(userId);
    if (running.length === 0) return;
    const written = await this.#deps.rows.trusts(userId, undefined);
    return lowestAuthor([...running.map(({ trust }) => trust), ...written]);
  }

  /** Lists a user's running programs; records the end of those whose replica must have died. */
  async #listRunning(userId: string): Promise<readonly ListedTrace[]> {
    const { traces, now } = this.#deps;
    const listed = await traces.list(userId);
    const isOver = ({ startedAt }: ListedTrace): boolean =>
      now().getTime() - startedAt.getTime() > traceEndsAfterMs;
    for (const { id } of listed.filter(isOver)) {
      const trace = await traces.find(id);
      if (trace) await this.end(trace);
    }
    return listed.filter((trace) => !isOver(trace));
  }

  /**
   * Finds the foreign files that a program can read: their inodes and the trusts of their authors, plus the trusts of
   * all running programs and of files marked since the given time. Also finds the paths that have a row but no file.
   */
  async #findForeign(userId: string, since?: Date) {
    const traces = await this.#deps.traces.list(userId);
    const authors = new Set<Trust | undefined>(traces.map(({ trust }) => trust));
    const inodes: number[] = [];
    const missing: string[] = [];
    for await (const rows of this.#deps.rows.batches(userId)) {
      const visible = rows.filter(({ path }) => !path.startsWith('memory/'));
      const found = await this.#deps.files.inodesOf(userId, pathsOf(visible));
      for (const row of visible) {
        const inode = found.get(row.path);
        if (inode === undefined) missing.push(row.path);
        const isForeign = inode !== undefined && (await this.#isForeign(userId, row));
        if (isForeign) inodes.push(inode);
        if (isForeign || (since && row.markedAt >= since)) authors.add(row.trust);
      }
    }
    return { authors: [...authors], inodes, missing };
  }

  async #isForeign(userId: string, row: ProvenanceRow): Promise<boolean> {
    if (row.ownText === undefined) return true;
    const content = await this.#deps.files
      .read(userId, row.path.split('/'), maxFileBytes, { plainOnly: true })
      .catch(() => undefined);
    return content === undefined || authorOf(row, hashOf(content)) !== undefined;
  }
}

function pathsOf(rows: readonly ProvenanceRow[]): string[] {
  return rows.map(({ path }) => path);
}
