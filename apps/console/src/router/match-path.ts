/**
 * Returns the values of the `:name` segments of a pattern such as `/agents/:agentId`; undefined if the path does not
 * match.
 */
export function matchPath(
  pattern: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const patternParts = pattern.split('/');
  const pathParts = path.replace(/\/+$/, '').split('/');
  if (path === '/' ? pattern !== '/' : patternParts.length !== pathParts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of patternParts.entries()) {
    const part = pathParts[index] ?? '';
    if (name.startsWith(':') && part !== '') params[name.slice(1)] = decode(part);
    else if (name !== part) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
