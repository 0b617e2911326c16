import { LRUCache } from 'lru-cache';
import { isForeign, limitEntries, type Trust } from '@daycare/api';
import {
  authorOf,
  lowestAuthor,
  settledBefore,
  type ProvenanceRow,
  type ReadText,
} from '../domain/provenance';
import { hashOf } from '../disk/content-hash';
import type { HomeFiles } from '../disk/home-files';
import type { ProgramProvenance } from './program-provenance';
import type { ProvenanceStore } from '../store/provenance-store';

/** Who is writing a text. */
export interface Authorship {
  /** The trust of the turn that writes the text; `own` when omitted. */
  readonly trust?: Trust | undefined;
  /** Whether the new text still contains something that someone else wrote to the file earlier. */
  readonly keepsForeign?: boolean;
}

export interface FileProvenanceDeps {
  readonly rows: ProvenanceStore;
  readonly programs: Pick<ProgramProvenance, 'authorOfRunningPrograms' | 'mayHaveChanged'>;
  readonly files: Pick<HomeFiles, 'inodesOf'>;
  readonly now: () => Date;
}

const maxRows = 1_000;
const sweepEveryMs = 10 * 60_000;
const maxSweptUsers = 10_000;

/** Records and reports who wrote the text in users' files. */
export class FileProvenance {
  readonly #deps: FileProvenanceDeps;
  readonly #sweptUsers = new LRUCache<string, true>({
    ...limitEntries(maxSweptUsers),
    ttl: sweepEveryMs,
  });

  constructor(deps: FileProvenanceDeps) {
    this.#deps = deps;
  }

  /**
   * Writes text with its provenance. The row for foreign text is stored before the text is written and marked again
   * afterwards, so that a program that runs at the same time is treated as having been able to read the text.
   */
  async write(
    userId: string,
    path: string,
    content: Uint8Array,
    { trust = 'own', keepsForeign = false }: Authorship,
    write: () => Promise<void>,
  ): Promise<void> {
    const { rows } = this.#deps;
    if (!isForeign(trust)) {
      if (!keepsForeign) await this.#noteOwnText(userId, path, hashOf(content));
      return write();
    }
    // Before the write, because an error afterwards would suggest that the text was not stored.
    await this.#sweepIfMany(userId);
    await rows.mark(userId, [path], trust);
    await write();
    await rows.mark(userId, [path], trust);
  }

  /**
   * Records a text as the user's own. While programs run, a file without a row gets one, because a program that ends
   * later marks every file that was changed while it ran.
   */
  async #noteOwnText(userId: string, path: string, sha256: string): Promise<void> {
    // Programs' traces are read before the row is written: if a trace is already gone, that program's rows are stored.
    const needsRow = await this.#deps.programs.mayHaveChanged(userId, path);
    await this.#deps.rows.noteOwnText(userId, path, sha256, { upsert: needsRow });
  }

  /** Returns the lowest trust among the authors of these texts; call this after reading them. */
  async authorOf(userId: string, texts: readonly ReadText[]): Promise<Trust | undefined> {
    const paths = texts.map(({ path }) => path);
    // Programs' traces are read before the rows. A program's rows are stored before its trace is removed, so a program
    // that ends in between is not missed.
    const running = await this.#deps.programs.authorOfRunningPrograms(userId, paths);
    const rows = await this.rowsOf(userId, paths);
    return lowestAuthor(texts.map(({ path, sha256 }) => authorOf(rows.get(path), sha256, running)));
  }

  /**
   * Returns the lowest trust among those who may have chosen the names of a folder's entries: the authors of foreign
   * files in the folder or further down, and programs whose changes are not marked yet.
   */
  async authorOfNames(
    userId: string,
    folder: string,
    names: readonly string[],
  ): Promise<Trust | undefined> {
    const paths = names.map((name) => `${folder}/${name}`);
    const running = await this.#deps.programs.authorOfRunningPrograms(userId, paths);
    const rows = await this.#deps.rows.list(userId, folder, maxRows + 1);
    // If there are too many rows to select the rows of these names, all rows below the folder are considered.
    if (rows.length > maxRows)
      return lowestAuthor([running, ...(await this.#deps.rows.trusts(userId, folder))]);
    const listed = new Set(names);
    const shown = rows.filter(({ path }) =>
      listed.has(path.slice(folder.length + 1).split('/')[0] ?? ''),
    );
    return lowestAuthor([running, ...shown.map(({ trust }) => trust)]);
  }

  async rowsOf(
    userId: string,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, ProvenanceRow>> {
    const rows = await this.#deps.rows.find(userId, paths);
    return new Map(rows.map((row) => [row.path, row]));
  }

  /** Records that the person approves this text as a skill; returns false if no provenance is stored for the file. */
  approve(userId: string, path: string, sha256: string): Promise<boolean> {
    return this.#deps.rows.approve(userId, path, sha256);
  }

  /** Removes the provenance of deleted files, unless a foreign write may be about to restore them. */
  async afterRemoval(userId: string, path: string): Promise<void> {
    await this.#deps.rows.forget(userId, path, settledBefore(this.#deps.now()));
  }

  deleteByUser(userId: string): Promise<void> {
    return this.#deps.rows.deleteByUser(userId);
  }

  /**
   * If the user has many rows, removes the rows of files that no longer exist: a file leaves its row behind unless it
   * is deleted through `UserHomes.remove`.
   */
  async #sweepIfMany(userId: string): Promise<void> {
    if (this.#sweptUsers.has(userId)) return;
    this.#sweptUsers.set(userId, true);
    const first = await this.#deps.rows.list(userId, undefined, maxRows + 1);
    if (first.length <= maxRows) return;
    const before = settledBefore(this.#deps.now());
    for await (const rows of this.#deps.rows.batches(userId)) {
      const paths = rows.map(({ path }) => path);
      const found = await this.#deps.files.inodesOf(userId, paths);
      const missing = paths.filter((path) => !found.has(path));
      await this.#deps.rows.forgetFiles(userId, missing, before);
    }
  }
}
