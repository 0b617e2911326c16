import { isForeign, type Trust } from '@daycare/api';
import {
  lowestAuthor,
  settledBefore,
  traceEndsAfterMs,
  type ProvenanceRow,
} from '../domain/provenance';
import { hashOf } from '../disk/content-hash';
import type { HomeFiles } from '../disk/home-files';
import type { ListedTrace, ProgramTrace, ProgramTraceStore } from '../store/program-trace-store';
import type { ProvenanceStore } from '../store/provenance-store';

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
   * Marks the files that the program changed, unless it can only have written the user's own text; if other programs of
   * the user are still running, the end of the last one marks them instead. Call this once none of the program's
   * processes are left. Returns the lowest trust that its output may have; undefined when the output can only be the
   * user's own text.
   */
  async end(trace: ProgramTrace): Promise<Trust | undefined> {
    const { rows, traces } = this.#deps;
    const { userId } = trace;
    const seen = await this.#findForeign(userId, trace.startedAt);
    const author = lowestAuthor([trace.trust, ...seen.authors]);
    const before = settledBefore(this.#deps.now());
    for (let from = 0; from < seen.obsolete.length; from += batchSize)
      await rows.forgetFiles(userId, seen.obsolete.slice(from, from + batchSize), before);
    await (author ? traces.addToEnded(trace, author) : traces.end(trace.id));
    await this.#markChanges(userId);
    return author;
  }

  /**
   * Marks the files that ended programs changed. Does nothing while another program runs, because that program could
   * hide changes by moving folders; when it ends, all these files are marked.
   */
  async #markChanges(userId: string): Promise<void> {
    const { rows, traces, files } = this.#deps;
    if (await this.#isAnyRunning(userId)) return;
    const ended = await traces.findEnded(userId);
    if (!ended) return;
    const { trust, startedMs: sinceMs, foreignInodes } = ended;
    const test = { sinceMs, inodes: new Set(foreignInodes) };
    const changed = [...(await files.changedSince(userId, writableFolders, test))];
    for (let from = 0; from < changed.length; from += batchSize) {
      const batch = changed.slice(from, from + batchSize);
      await rows.mark(userId, await this.#withoutOwn(userId, batch), trust);
    }
    // A program that ran during the scan is either still running, or has ended and thereby changed the trace, which is
    // then not removed.
    if (!(await this.#isAnyRunning(userId))) await traces.removeEnded(ended);
  }

  /** Leaves out files that contain only the user's own text, written by one of the user's own turns. */
  async #withoutOwn(userId: string, paths: readonly string[]): Promise<readonly string[]> {
    const own = new Set<string>();
    for (const row of await this.#deps.rows.find(userId, paths))
      if (!isForeign(row.trust) && (await this.#hasOwnText(userId, row))) own.add(row.path);
    return paths.filter((path) => !own.has(path));
  }

  async #isAnyRunning(userId: string): Promise<boolean> {
    const listed = await this.#deps.traces.list(userId);
    return listed.some(({ lastEnded }) => lastEnded === undefined);
  }

  /**
   * Returns the lowest trust of the text that programs may have written to these files; undefined when they cannot have
   * written foreign text. Considers all programs, running or ended, whose changes are not marked yet, and assumes that
   * they have copied the least trusted text in any of the user's files.
   */
  async authorOfRunningPrograms(
    userId: string,
    paths: readonly string[],
  ): Promise<Trust | undefined> {
    if (!paths.some(isWritable)) return;
    const unmarked = await this.#listUnmarked(userId);
    if (unmarked.length === 0) return;
    const written = await this.#deps.rows.trusts(userId, undefined);
    return lowestAuthor([...unmarked.map(({ trust }) => trust), ...written]);
  }

  /** Reports whether a program, running or ended, whose changes are not marked yet may have changed this file. */
  async mayHaveChanged(userId: string, path: string): Promise<boolean> {
    return isWritable(path) && (await this.#deps.traces.list(userId)).length > 0;
  }

  /**
   * Lists a user's running programs, and ended ones whose changes have not been marked yet. If a trace is so old that
   * its replica must have died, first completes what that replica left undone.
   */
  async #listUnmarked(userId: string): Promise<readonly ListedTrace[]> {
    const { traces, now } = this.#deps;
    const listed = await traces.list(userId);
    const overdue = listed.filter(
      ({ startedAt }) => now().getTime() - startedAt.getTime() > traceEndsAfterMs,
    );
    if (overdue.length === 0) return listed;
    for (const { id } of overdue.filter(({ lastEnded }) => lastEnded === undefined)) {
      const trace = await traces.find(id);
      if (trace) await this.end(trace);
    }
    await this.#markChanges(userId);
    return traces.list(userId);
  }

  /**
   * Finds the foreign files that a program can read: their inodes and the trusts of their authors, plus the trusts in
   * all of the user's traces and of files marked since the program started at `since`. Also finds the paths of obsolete
   * rows: rows whose file no longer exists and, if the user has no trace but this program's, rows that mark nothing as
   * foreign and were written well before `since`.
   */
  async #findForeign(userId: string, since?: Date) {
    const traces = await this.#deps.traces.list(userId);
    const before = since && traces.length === 1 ? settledBefore(since) : undefined;
    const authors = new Set<Trust | undefined>(traces.map(({ trust }) => trust));
    const inodes: number[] = [];
    const obsolete: string[] = [];
    for await (const rows of this.#deps.rows.batches(userId)) {
      const visible = rows.filter(({ path }) => !path.startsWith('memory/'));
      const found = await this.#deps.files.inodesOf(userId, pathsOf(visible));
      for (const row of visible) {
        const inode = found.get(row.path);
        const isMarked = isForeign(row.trust);
        if (inode === undefined || (!isMarked && before && row.markedAt < before))
          obsolete.push(row.path);
        const hasForeign =
          isMarked && inode !== undefined && !(await this.#hasOwnText(userId, row));
        if (hasForeign) inodes.push(inode);
        if (hasForeign || (since && row.markedAt >= since)) authors.add(row.trust);
      }
    }
    return { authors: [...authors], inodes, obsolete };
  }

  /** Reports whether the file contains exactly the text that one of the user's own turns wrote last. */
  async #hasOwnText(userId: string, { path, ownText }: ProvenanceRow): Promise<boolean> {
    if (ownText === undefined) return false;
    const content = await this.#deps.files
      .read(userId, path.split('/'), maxFileBytes, { plainOnly: true })
      .catch(() => undefined);
    return content !== undefined && hashOf(content) === ownText;
  }
}

function isWritable(path: string): boolean {
  return writableFolders.some((folder) => path.startsWith(`${folder}/`));
}

function pathsOf(rows: readonly ProvenanceRow[]): string[] {
  return rows.map(({ path }) => path);
}
