import type { ConnectionOptions } from 'nats';

/**
 * Returns the options for connecting a NATS client to a URL, because the client itself reads neither the user nor the
 * scheme from the URL.
 */
export function natsOptions(url: string): ConnectionOptions {
  const urls = url
    .split(',')
    .map((address) => new URL(address.includes('://') ? address : `nats://${address}`));
  const [first] = urls;
  const user = decodeURIComponent(first?.username ?? '');
  return {
    servers: urls.map(({ host }) => host),
    ...(user && { user, pass: decodeURIComponent(first?.password ?? '') }),
    ...(user && { inboxPrefix: `_INBOX_${user}` }),
    ...(first?.protocol === 'tls:' && { tls: {} }),
  };
}
