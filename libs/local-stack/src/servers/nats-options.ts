import type { ConnectionOptions } from 'nats';

/** What a NATS client needs to connect to a URL: by itself it reads neither the user nor the scheme from the URL. */
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
