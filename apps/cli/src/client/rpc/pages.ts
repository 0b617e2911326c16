import { readPages } from '@daycare/client/kit';

const pageSize = 1_000;

/** Loads all pages of a list, or only as many as `limit` elements need. */
export async function collect<T>(
  limit: number | undefined,
  load: Parameters<typeof readPages<T>>[0],
): Promise<T[]> {
  const items: T[] = [];
  for await (const item of readPages(load, { limit, pageSize })) items.push(item);
  return items;
}
