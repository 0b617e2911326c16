import { constants, type Stats } from 'node:fs';
import { lstat, open, opendir, readlink, type FileHandle } from 'node:fs/promises';

/** Names on a disk need not be text. */
export type EntryName = string | Buffer;

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants;
// Linux' O_PATH, which Node does not name: an entry is held but not opened, whatever it is.
const holdOnly = 0o10000000;

/** Where the entries that this process has open are found again, each exactly as it was opened. */
const openEntries = '/proc/self/fd';

/**
 * One entry of a file system, held: whatever is moved or swapped meanwhile, this stays the same. What
 * is reached through a pinned folder is in that folder, and a link is pinned itself, never followed.
 * Nothing may be under way through a pin when it is closed, since its number is then given away.
 */
export class Pin {
  readonly #handle: FileHandle;

  private constructor(
    handle: FileHandle,
    readonly stats: Stats,
  ) {
    this.#handle = handle;
  }

  /** A directory that the operator named; links to it are as they should be. */
  static root(path: string): Promise<Pin | undefined> {
    return Pin.#open(path, holdOnly | O_DIRECTORY);
  }

  /** What is in this folder by that name; undefined when nothing is. */
  enter(name: EntryName): Promise<Pin | undefined> {
    return Pin.#open(this.at(name), holdOnly | O_NOFOLLOW);
  }

  get isFolder(): boolean {
    return this.stats.isDirectory();
  }

  /**
   * Not a link, device or pipe, nor a file that has a second name, which may be somewhere else. One
   * that was replaced as soon as it was held has none at all.
   */
  get isPlainFile(): boolean {
    return this.stats.isFile() && this.stats.nlink <= 1;
  }

  /** The path of the entry itself, good while it is held. */
  get path(): string {
    return `${openEntries}/${this.#handle.fd}`;
  }

  /** The path of something in this folder. A link by that name must not be followed: mind the call it is for. */
  at(name: EntryName): EntryName {
    if (typeof name === 'string') return `${this.path}/${name}`;
    return Buffer.concat([Buffer.from(`${this.path}/`), name]);
  }

  /** Where a link by that name leads; undefined when there is none. */
  readLink(name: EntryName): Promise<string | undefined> {
    return unlessAbsent(readlink(this.at(name), 'utf8'), ['EINVAL']);
  }

  statOf(name: EntryName): Promise<Stats | undefined> {
    return unlessAbsent(lstat(this.at(name)));
  }

  /** The names in this folder, as they are on the disk; none when it may not be read. */
  async *names(): AsyncGenerator<Buffer, void> {
    // Types do not know that names come as they are asked for.
    const encoding = 'buffer' as BufferEncoding;
    const folder = await unlessAbsent(opendir(this.path, { encoding }));
    if (!folder) return;
    for await (const { name } of folder) yield name as unknown as Buffer;
  }

  /** This very file or folder, for reading; undefined when that is not permitted. */
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

/** Uses what is held and lets go of it. */
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

/** What a file system says of something that is not there, or may not be looked at. */
const absences = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'];

async function unlessAbsent<T>(
  found: Promise<T>,
  more: readonly string[] = [],
): Promise<T | undefined> {
  return found.catch((error: unknown) => {
    if ([...absences, ...more].includes(errorCodeOf(error) ?? '')) return undefined;
    throw error;
  });
}
