/** The part of a list that fits into one response. */
export interface FittedPage<T> {
  readonly page: readonly T[];
  /** The last element of the page; undefined when the page ends the list. */
  readonly last: T | undefined;
}

/** Well below the maximum size of a gRPC message. */
const defaultMaxBytes = 2_097_152;

/**
 * Returns the first elements: at most `limit` and no more than fit into one response, but at least one if there are
 * any. Query one element more than the limit, so that `elements` shows whether more follow. `sentPart` returns the part
 * of an element that is sent.
 */
export function fitPage<T>(
  elements: readonly T[],
  limit: number,
  sentPart: (element: T) => unknown = (element) => element,
  maxBytes = defaultMaxBytes,
): FittedPage<T> {
  let bytes = 0;
  const end = elements.findIndex((element, index) => {
    bytes += Buffer.byteLength(JSON.stringify(sentPart(element)));
    return index >= limit || (index > 0 && bytes > maxBytes);
  });
  const page = end < 0 ? elements : elements.slice(0, end);
  return { page, last: end < 0 ? undefined : page.at(-1) };
}
