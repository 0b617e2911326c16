import type { ConnectionOptions } from 'nats';

/**
 * The options with which a NATS client connects to a URL: it does not itself read the user or the scheme from
 * it.
 */
export function natsOptions(url: string): ConnectionOptions {
  const urls = url
    .split(',')
    .map((each) => new URL(each.includes('://') ? each : `nats://${each}`));
  const [first] = urls;
  const user = decodeURIComponent(first?.username ?? '');
  return {
    servers: urls.map(({ host }) => host),
    ...(user && { user, pass: decodeURIComponent(first?.password ?? '') }),
    ...(user && { inboxPrefix: `_INBOX_${user}` }),
    ...(first?.protocol === 'tls:' && { tls: {} }),
  };
}
