const pageSize = 100;

interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
}

/** Every element of a list, page by page as they are read. */
export async function* readPages<T>(
  load: (page: { pageSize: number; pageToken: string }) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let pageToken = '';
  do {
    const { items, nextPageToken } = await load({ pageSize, pageToken });
    yield* items;
    pageToken = nextPageToken;
  } while (pageToken !== '');
}
