/** The endpoint that a request at the edge addresses, and the rest of the request's path. */
export interface EdgePath {
  readonly endpointId: string;
  /** Path and query for the target. */
  readonly rest: string;
  /** A relative URL of the same page with a slash after the id; undefined when the path already has one. */
  readonly withSlash: string | undefined;
}

const edgePath = /^\/e\/([a-z0-9]{2,64})(\/[^?]*)?(\?.*)?$/;
const maxCharacters = 8_192;

/**
 * Parses the target of a request line. Undefined unless it is literally `/e/<endpointId>` or `/e/<endpointId>/…`,
 * with or without a query. Also undefined for a path with dot segments, encoded or not, which another program could
 * normalise to a different path.
 */
export function parseEdgePath(url: string): EdgePath | undefined {
  if (url.length > maxCharacters || !/^[\x21-\x7e]*$/.test(url)) return undefined;
  const [, endpointId, pathAfterId, query = ''] = edgePath.exec(url) ?? [];
  const path = pathAfterId ?? '/';
  if (endpointId === undefined || hasDotSegment(path)) return undefined;
  const withSlash = pathAfterId === undefined ? `${endpointId}/${query}` : undefined;
  return { endpointId, rest: `${path}${query}`, withSlash };
}

/** The path under which the edge serves an endpoint, without a slash at the end. */
export function prefixOf(basePath: string, endpointId: string): string {
  return `${basePath.replace(/\/+$/, '')}/e/${endpointId}`;
}

function hasDotSegment(path: string): boolean {
  const plain = path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/');
  return plain.split('/').some((segment) => /^\.{1,2}(;.*)?$/.test(segment));
}
