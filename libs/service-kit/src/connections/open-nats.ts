import { connectNats, type NatsHandle } from '@daycare/messaging';
import type { ServiceKit } from '../process/run-service';
import type { NatsConfig } from '../config/service-config';

/** Connects to NATS and registers the shutdown step. The connection survives any outage of the server. */
export async function openNats(
  { natsUrl: url }: NatsConfig,
  name: string,
  { log: logger, stop }: Pick<ServiceKit, 'log' | 'stop'>,
): Promise<NatsHandle> {
  const nats = await connectNats({ url, name, logger });
  stop.add('close', 'nats', () => nats.close());
  return nats;
}
