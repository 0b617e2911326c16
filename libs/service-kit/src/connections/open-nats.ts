import { Gauge } from 'prom-client';
import { AppError } from '@daycare/api';
import { connectNats, NatsRefusal, type NatsHandle } from '@daycare/messaging';
import { withoutPassword } from '../config/env-reader';
import { natsAddressOf, type NatsConfig } from '../config/nats-config';
import type { ServiceKit } from '../process/run-service';

/**
 * Connects to NATS and registers the shutdown step. Throws an error that says why if a server refuses this service at
 * the first attempt. While no server is reachable, now or later, the connection keeps retrying in the background.
 */
export async function openNats(
  config: NatsConfig,
  name: string,
  { log: logger, stop, metrics, conditions }: ServiceKit,
): Promise<NatsHandle> {
  const nats = await connectNats({ ...natsAddressOf(config), name, logger }).catch(
    (error: unknown) => {
      throw error instanceof NatsRefusal ? explain(error, config) : error;
    },
  );
  stop.add('close', 'nats', () => nats.close());
  const isConnected = (): boolean => nats.connection.info !== undefined;
  conditions.add(() =>
    isConnected() ? undefined : 'NATS is unreachable: messages are accepted and queued',
  );
  new Gauge({
    name: 'daycare_nats_connected',
    help: 'Whether there is a connection to NATS',
    registers: [metrics.registry],
    collect() {
      this.set(isConnected() ? 1 : 0);
    },
  });
  return nats;
}

function explain(refusal: NatsRefusal, { natsUrl }: NatsConfig): AppError {
  const where = natsUrl.split(',').map(withoutPassword).join(',');
  const text = `cannot use NATS at ${where} (DAYCARE_NATS_URL): ${refusal.message}`;
  return new AppError('FAILED_PRECONDITION', text, {}, { cause: refusal });
}
