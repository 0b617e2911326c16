/** A page of a list that a tool returns. */
export interface EntryPage<T> {
  readonly entries: readonly T[];
  readonly nextOffset?: number;
}

/** Collects all entries of a list that a tool returns in pages. */
export async function collectEntries<T>(
  load: (offset: number) => Promise<EntryPage<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: EntryPage<T> = await load(offset);
    all.push(...page.entries);
    offset = page.nextOffset;
  }
  return all;
}
