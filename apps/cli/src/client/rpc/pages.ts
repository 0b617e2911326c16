const maxPerPage = 1_000;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
}

/** Loads all pages of a list, or only as many as `limit` elements need. */
export async function collect<T>(
  limit: number | undefined,
  load: (page: { pageSize: number; pageToken: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const max = limit ?? Infinity;
  const items: T[] = [];
  let pageToken = '';
  do {
    const pageSize = Math.min(maxPerPage, max - items.length);
    const page = await load({ pageSize, pageToken });
    items.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && items.length < max);
  return items.slice(0, max);
}
