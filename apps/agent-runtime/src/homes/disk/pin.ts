import { constants, type Stats } from 'node:fs';
import { lstat, open, opendir, readlink, type FileHandle } from 'node:fs/promises';

/** Names on disk need not be valid text. */
export type EntryName = string | Buffer;

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants;
// Linux's O_PATH, which Node does not export: refers to an entry of any type without opening it.
const O_PATH = 0o10000000;

/** A path in this folder leads to an entry that this process holds open, even if the entry was moved or replaced. */
const openEntries = '/proc/self/fd';

/**
 * A handle to one file system entry: whatever is moved or swapped in the meantime, it refers to the same entry.
 * Whatever is reached through a pinned folder, except with `..`, is in that folder. Pinning a link pins the link
 * itself, not its target. A pin must not be used after it is closed, because its descriptor may then belong to another
 * file.
 */
export class Pin {
  readonly #handle: FileHandle;

  private constructor(
    handle: FileHandle,
    readonly stats: Stats,
  ) {
    this.#handle = handle;
  }

  /** Pins the directory at a path that no program can choose; links are followed. */
  static root(path: string): Promise<Pin | undefined> {
    return Pin.#open(path, O_PATH | O_DIRECTORY);
  }

  /** Pins the entry with this name in this folder; returns undefined when there is none. */
  enter(name: EntryName): Promise<Pin | undefined> {
    return Pin.#open(this.at(name), O_PATH | O_NOFOLLOW);
  }

  get isFolder(): boolean {
    return this.stats.isDirectory();
  }

  /**
   * Whether this is a regular file with at most one name: not a link, device or pipe, nor a file with a second name,
   * which may be elsewhere. A file that was replaced right after it was pinned has no name left, and is included.
   */
  get isPlainFile(): boolean {
    return this.stats.isFile() && this.stats.nlink <= 1;
  }

  /** The path of the entry itself, valid until the pin is closed. */
  get path(): string {
    return `${openEntries}/${this.#handle.fd}`;
  }

  /** Returns the path of an entry in this folder, for use only in calls that do not follow a link with this name. */
  at(name: EntryName): EntryName {
    if (typeof name === 'string') return `${this.path}/${name}`;
    return Buffer.concat([Buffer.from(`${this.path}/`), name]);
  }

  /** Returns the target of the link with this name; undefined when there is no such link. */
  readLink(name: EntryName): Promise<string | undefined> {
    return unlessAbsent(readlink(this.at(name), 'utf8'), ['EINVAL']);
  }

  statOf(name: EntryName): Promise<Stats | undefined> {
    return unlessAbsent(lstat(this.at(name)));
  }

  /**
   * Returns an identity that distinguishes the entry with this name from whatever takes its place later. A file gets a
   * new identity when it is changed; a folder keeps its identity when its entries change.
   */
  async identityOf(name: EntryName): Promise<string | undefined> {
    const stats = await unlessAbsent(lstat(this.at(name), { bigint: true }));
    if (!stats) return undefined;
    const { ino, birthtimeNs, ctimeNs, size } = stats;
    return stats.isDirectory() ? `${ino}:${birthtimeNs}` : `${ino}:${ctimeNs}:${size}`;
  }

  /** Yields the names in this folder as they are on disk; none when the folder is not readable. */
  async *names(): AsyncGenerator<Buffer, void> {
    // The types do not reflect the encoding option.
    const encoding = 'buffer' as BufferEncoding;
    const folder = await unlessAbsent(opendir(this.path, { encoding }));
    if (!folder) return;
    for await (const { name } of folder) yield name as unknown as Buffer;
  }

  /** Opens exactly this file or folder for reading; returns undefined when that is not permitted. */
  openToRead(): Promise<FileHandle | undefined> {
    return unlessAbsent(open(this.path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  static async #open(path: EntryName, flags: number): Promise<Pin | undefined> {
    const handle = await unlessAbsent(open(path, flags));
    if (!handle) return undefined;
    try {
      return new Pin(handle, await handle.stat());
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

/** Runs `use` with the pin, then closes the pin. */
export async function using<T>(pin: Pin, use: (pin: Pin) => Promise<T>): Promise<T> {
  try {
    return await use(pin);
  } finally {
    await pin.close();
  }
}

export function errorCodeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** The codes of file system errors which mean that an entry does not exist or is not accessible. */
const absentCodes = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'];

async function unlessAbsent<T>(
  found: Promise<T>,
  extraCodes: readonly string[] = [],
): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if ([...absentCodes, ...extraCodes].includes(errorCodeOf(error) ?? '')) return undefined;
    throw error;
  });
}
