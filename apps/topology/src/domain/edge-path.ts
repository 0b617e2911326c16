/** What a request at the edge is for. */
export interface EdgePath {
  readonly endpointId: string;
  /** Path and query as the target gets them. */
  readonly rest: string;
}

const edgePath = /^\/e\/([a-z0-9]{2,64})(\/[^?]*)?(\?.*)?$/;
const mostCharacters = 8_192;

/**
 * Reads the target of a request line. Undefined for everything that is not `/e/<endpointId>/…` literally, and
 * for paths that somebody on the way could read as another one: dot segments, encoded or not.
 */
export function parseEdgePath(url: string): EdgePath | undefined {
  if (url.length > mostCharacters || !/^[\x21-\x7e]*$/.test(url)) return undefined;
  const [, endpointId, path = '/', query = ''] = edgePath.exec(url) ?? [];
  if (endpointId === undefined || hasDotSegment(path)) return undefined;
  return { endpointId, rest: `${path}${query}` };
}

/** The path under which the edge serves an endpoint, without a slash at the end. */
export function prefixOf(basePath: string, endpointId: string): string {
  return `${basePath.replace(/\/+$/, '')}/e/${endpointId}`;
}

function hasDotSegment(path: string): boolean {
  const plain = path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/');
  return plain.split('/').some((segment) => /^\.{1,2}(;.*)?$/.test(segment));
}
