/** Header names and values in the order they came, names and values taking turns. */
export type RawHeaders = readonly string[];

type Header = readonly [name: string, value: string];

/** What the edge itself knows of a request. */
export interface Forwarding {
  /** How the target calls itself. */
  readonly targetHost: string;
  readonly remoteAddress: string;
  /** Under which URL the edge serves the endpoint, without a slash at the end. */
  readonly publicUrl: URL;
  /** The visitor's Authorization was for the edge. */
  readonly isAuthorizationOurs: boolean;
}

/** They concern one connection, not what is said over it (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The edge says these itself. Many programs take `_` for `-`: no name with one is handed on. */
const saidByEdge = /^(host|content-length|expect|forwarded|x-forwarded-.*|x-real-ip|.*_.*)$/;

/** Orders to a proxy or from one, such as to send a file of the proxy's: neither side may give them. */
const betweenProxies = /^x-(accel-.*|sendfile.*|lighttpd-send-.*)$/;

/** A target may not speak for the whole origin, which all endpoints share. */
const ofTheOrigin: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'public-key-pins',
  'public-key-pins-report-only',
  'service-worker-allowed',
  'strict-transport-security',
]);

/** The headers for the target. Those that frame the body, or change the protocol, are for the caller to add. */
export function requestHeaders(raw: RawHeaders, forwarding: Forwarding): string[] {
  const { targetHost, remoteAddress, publicUrl, isAuthorizationOurs } = forwarding;
  const kept = endToEnd(raw).filter(
    ([name]) => !saidByEdge.test(name) && !(isAuthorizationOurs && name === 'authorization'),
  );
  return [
    ...['host', targetHost],
    ...kept.flat(),
    ...['x-forwarded-for', remoteAddress],
    ...['x-forwarded-proto', publicUrl.protocol.slice(0, -1)],
    ...['x-forwarded-host', publicUrl.host],
    ...['x-forwarded-prefix', publicUrl.pathname],
  ];
}

/** The headers for the visitor. */
export function responseHeaders(
  raw: RawHeaders,
  { targetHost, publicUrl }: Pick<Forwarding, 'targetHost' | 'publicUrl'>,
): string[] {
  const prefix = publicUrl.pathname;
  return endToEnd(raw)
    .filter(([name]) => !ofTheOrigin.has(name))
    .flatMap(([name, value]): Header => {
      if (name === 'location') return [name, rewriteLocation(value, targetHost, prefix)];
      if (name === 'set-cookie') return [name, confineCookie(value, prefix)];
      return [name, value];
    });
}

/** All but those of the connection, those that `Connection` names, and those for proxies. Names in lower case. */
function endToEnd(raw: RawHeaders): Header[] {
  const headers = pairsOf(raw);
  const named = headers
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((token) => token.trim());
  const dropped = new Set([...hopByHop, ...named]);
  return headers.filter(([name]) => !dropped.has(name) && !betweenProxies.test(name));
}

function pairsOf(raw: RawHeaders): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, index): Header => [
    (raw[index * 2] ?? '').toLowerCase(),
    raw[index * 2 + 1] ?? '',
  ]);
}

/** A place at the target is one under the prefix; all others are the visitor's to follow or not. */
function rewriteLocation(location: string, targetHost: string, prefix: string): string {
  const ofTarget = new RegExp(`^(?:https?:)?//${literally(targetHost)}(?=[/?#]|$)`, 'i');
  const path = location.replace(ofTarget, '');
  const isAbsolute = path !== location || (path.startsWith('/') && !/^\/[/\\]/.test(path));
  if (!isAbsolute || `${path}/`.startsWith(`${prefix}/`)) return path || location;
  return `${prefix}${path.startsWith('/') ? '' : '/'}${path}`;
}

/** A cookie of one endpoint is not sent to another. */
function confineCookie(cookie: string, prefix: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const paths = attributes.map((each) => /^\s*path\s*=\s*(\/\S*)\s*$/i.exec(each)?.[1]);
  const path = paths.findLast((found) => found !== undefined) ?? '/';
  const isInside = path.startsWith(`${prefix}/`);
  const kept = attributes.filter((each) => !/^\s*(path|domain)\s*(=|$)/i.test(each));
  return [pair, ...kept, ` Path=${isInside ? path : `${prefix}${path}`}`].join(';');
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
