import { readPages } from '@daycare/client/kit';

const pageSize = 1_000;

/** Loads all elements of a paged list, or only the first `limit`. */
export async function collect<T>(
  limit: number | undefined,
  load: Parameters<typeof readPages<T>>[0],
): Promise<T[]> {
  const items: T[] = [];
  for await (const item of readPages(load, { limit, pageSize })) items.push(item);
  return items;
}
