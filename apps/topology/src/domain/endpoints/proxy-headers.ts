import { confineChallenges } from './challenges';

/** Header names and values alternating, in the order received. */
export type RawHeaders = readonly string[];

type Header = readonly [name: string, value: string];

/** What the edge itself knows about a request. */
export interface Forwarding {
  /** The Host that the target expects. */
  readonly targetHost: string;
  readonly remoteAddress: string;
  /** The endpoint's URL at the edge, without a trailing slash. */
  readonly publicUrl: URL;
  readonly endpointId: string;
  /** The Authorization header is meant for the edge or contains another endpoint's password; it is dropped. */
  readonly isAuthorizationForEdge: boolean;
  /** The edge asks visitors for a password, so challenges from the target are dropped. */
  readonly isProtected: boolean;
}

/** Headers that apply to a single connection (RFC 9110, 7.6.1). */
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

/** Set or handled by the edge. Many programs read `_` as `-`, so no name with an underscore is sent to a target. */
const setByEdge = /^(host|content-length|expect|forwarded|x-forwarded-.*|x-real-ip|.*_.*)$/;

/**
 * Instructions to a proxy, such as to send a file; neither the target nor a visitor may give them.
 */
const proxyControl = /^x-(accel-.*|sendfile.*|lighttpd-send-.*)$/;

/** Headers that affect the whole origin, which all endpoints share. */
const originWide: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'public-key-pins',
  'public-key-pins-report-only',
  'service-worker-allowed',
  'strict-transport-security',
]);

/** Returns the headers for the target. The caller adds those that frame the body or switch the protocol. */
export function requestHeaders(raw: RawHeaders, forwarding: Forwarding): string[] {
  const { targetHost, remoteAddress, publicUrl, isAuthorizationForEdge } = forwarding;
  const forwarded = endToEndHeaders(raw).filter(
    ([name]) => !setByEdge.test(name) && !(isAuthorizationForEdge && name === 'authorization'),
  );
  return [
    ...['host', targetHost],
    ...forwarded.flat(),
    ...['x-forwarded-for', remoteAddress],
    ...['x-forwarded-proto', publicUrl.protocol.slice(0, -1)],
    ...['x-forwarded-host', publicUrl.host],
    ...['x-forwarded-prefix', publicUrl.pathname],
  ];
}

/** Returns the headers for the visitor. */
export function responseHeaders(
  raw: RawHeaders,
  forwarding: Pick<Forwarding, 'targetHost' | 'publicUrl' | 'endpointId' | 'isProtected'>,
): string[] {
  const { targetHost, publicUrl, endpointId, isProtected } = forwarding;
  const prefix = publicUrl.pathname;
  return endToEndHeaders(raw)
    .filter(([name]) => !originWide.has(name))
    .flatMap(([name, value]): readonly string[] => {
      if (name === 'www-authenticate') {
        const challenges = isProtected ? [] : confineChallenges(value, endpointId);
        return challenges.flatMap((challenge): Header => [name, challenge]);
      }
      if (name === 'location') return [name, rewriteLocation(value, targetHost, prefix)];
      if (name === 'set-cookie') return [name, confineCookie(value, prefix)];
      return [name, value];
    });
}

/** Returns the headers that may be forwarded, with their names in lower case. */
function endToEndHeaders(raw: RawHeaders): Header[] {
  const headers = pairsOf(raw);
  const namedByConnection = headers
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((token) => token.trim());
  const dropped = new Set([...hopByHop, ...namedByConnection]);
  return headers.filter(([name]) => !dropped.has(name) && !proxyControl.test(name));
}

function pairsOf(raw: RawHeaders): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, index): Header => [
    (raw[index * 2] ?? '').toLowerCase(),
    raw[index * 2 + 1] ?? '',
  ]);
}

/** A location at the target is mapped below the prefix, unless it is there already; any other location is unchanged. */
function rewriteLocation(location: string, targetHost: string, prefix: string): string {
  const ofTarget = new RegExp(`^(?:https?:)?//${escapeRegExp(targetHost)}(?=[/?#]|$)`, 'i');
  const path = location.replace(ofTarget, '');
  const isAbsolute = path !== location || (path.startsWith('/') && !/^\/[/\\]/.test(path));
  if (!isAbsolute || `${path}/`.startsWith(`${prefix}/`)) return path || location;
  return `${prefix}${path.startsWith('/') ? '' : '/'}${path}`;
}

/** Confines a cookie to its endpoint. */
function confineCookie(cookie: string, prefix: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const paths = attributes.map((each) => /^\s*path\s*=\s*(\/\S*)\s*$/i.exec(each)?.[1]);
  const path = paths.findLast((found) => found !== undefined) ?? '/';
  const isInside = path.startsWith(`${prefix}/`);
  const otherAttributes = attributes.filter((each) => !/^\s*(path|domain)\s*(=|$)/i.test(each));
  return [pair, ...otherAttributes, ` Path=${isInside ? path : `${prefix}${path}`}`].join(';');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
