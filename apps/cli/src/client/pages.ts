const mostPerPage = 1_000;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
}

/** All there is of a list, or its first `limit`, following the pages. */
export async function collect<T>(
  limit: number | undefined,
  load: (page: { pageSize: number; pageToken: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const most = limit ?? Infinity;
  const items: T[] = [];
  let pageToken = '';
  do {
    const pageSize = Math.min(mostPerPage, most - items.length);
    const page = await load({ pageSize, pageToken });
    items.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && items.length < most);
  return items.slice(0, most);
}
