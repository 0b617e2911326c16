/** A user can have any number of files that cannot be read; the manifest names at most this many. */
const maxNamed = 1_000;

/** The files and folders that a backup could not read: all are counted, the first ones are named. */
export class UnreadPaths {
  readonly first: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(path: string): void {
    this.#count += 1;
    if (this.first.length < maxNamed) this.first.push(path);
  }
}
