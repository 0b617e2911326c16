const defaultPageSize = 100;

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
}

export interface PageOptions {
  /** The maximum number of elements; all by default. */
  readonly limit?: number | undefined;
  /** How many elements to load per page. */
  readonly pageSize?: number;
}

/** Yields the elements of a list, which are loaded page by page as they are read. */
export async function* readPages<T>(
  load: (page: { pageSize: number; pageToken: string }) => Promise<Page<T>>,
  { limit = Infinity, pageSize = defaultPageSize }: PageOptions = {},
): AsyncGenerator<T, void, undefined> {
  let pageToken = '';
  let remaining = limit;
  do {
    const page = await load({ pageSize: Math.min(pageSize, remaining), pageToken });
    yield* page.items.slice(0, remaining);
    remaining -= page.items.length;
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && remaining > 0);
}
