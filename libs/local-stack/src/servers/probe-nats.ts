import { connect } from 'nats';
import { natsOptions } from './nats-options';

const timeoutMs = 2_000;

/** Returns the server's version; throws unless it accepts the user in the URL and, if required, JetStream responds. */
export async function probeNats(
  url: string,
  { jetStream = true }: { readonly jetStream?: boolean } = {},
): Promise<string> {
  const connection = await connect({ ...natsOptions(url), reconnect: false, timeout: timeoutMs });
  try {
    if (jetStream)
      await (await connection.jetstreamManager({ timeout: timeoutMs })).getAccountInfo();
    return connection.info?.version ?? 'unknown';
  } finally {
    await connection.close();
  }
}
