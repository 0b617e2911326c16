/** A page, and its last element when there is more to come. */
export interface FittedPage<T> {
  readonly page: readonly T[];
  readonly last: T | undefined;
}

// Well below what a message may be on the wire.
const defaultMostBytes = 2_097_152;

/**
 * The first elements, at most `limit` and no more than fit into one answer, but at least one. To know
 * whether there is more, `found` must have had the chance to hold one more than the limit. `shown` is
 * the part of an element that is answered.
 */
export function fitPage<T>(
  found: readonly T[],
  limit: number,
  shown: (element: T) => unknown = (element) => element,
  mostBytes = defaultMostBytes,
): FittedPage<T> {
  let bytes = 0;
  const end = found.findIndex((element, index) => {
    bytes += Buffer.byteLength(JSON.stringify(shown(element)));
    return index >= limit || (index > 0 && bytes > mostBytes);
  });
  const page = end < 0 ? found : found.slice(0, end);
  return { page, last: end < 0 ? undefined : page.at(-1) };
}
