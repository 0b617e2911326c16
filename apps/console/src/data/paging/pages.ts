const pageSize = 1_000;

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
}

/** A list's entries up to a limit; `hasMore` is true if the list has more. */
export interface Collected<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** Reads pages until the list ends or `max` entries have been read. */
export async function collectPages<T>(
  read: (page: { pageSize: number; pageToken: string }) => Promise<Page<T>>,
  max = 5_000,
): Promise<Collected<T>> {
  const items: T[] = [];
  let pageToken = '';
  do {
    const page = await read({ pageSize, pageToken });
    items.push(...page.items);
    ({ nextPageToken: pageToken } = page);
  } while (pageToken !== '' && items.length < max);
  return { items: items.slice(0, max), hasMore: pageToken !== '' || items.length > max };
}
