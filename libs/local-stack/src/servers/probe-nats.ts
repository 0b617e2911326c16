import { connect, type ConnectionOptions } from 'nats';

const timeoutMs = 2_000;

/** The server's version; throws unless it accepts the user in the URL and, if required, JetStream answers. */
export async function probeNats(
  url: string,
  { jetStream = true }: { readonly jetStream?: boolean } = {},
): Promise<string> {
  const connection = await connect({ ...optionsOf(url), reconnect: false, timeout: timeoutMs });
  try {
    if (jetStream)
      await (await connection.jetstreamManager({ timeout: timeoutMs })).getAccountInfo();
    return connection.info?.version ?? 'unknown';
  } finally {
    await connection.close();
  }
}

/** The client reads neither the user nor the scheme from the URL. */
function optionsOf(url: string): ConnectionOptions {
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
