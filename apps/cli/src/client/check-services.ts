import { HealthCheckResponse_ServingStatus, HealthService } from '@daycare/contracts/health';
import { serviceNames, type ServiceName } from '@daycare/local-stack/lookup';
import type { Settings } from '../config';
import { CallFailure } from '../failure/call-failure';
import { addressOf } from './address-of';
import { connect } from './connect';
import type { NamedContext } from './context';

/** How one service of a context is. */
export interface ServiceHealth {
  readonly service: ServiceName;
  readonly address: string;
  /** Its own word, or that it does not answer. */
  readonly health: 'serving' | 'not serving' | 'unreachable';
  /** Of the answer to a health check, the connection included. */
  readonly latencyMs?: number;
}

/** Asks every service of a context how it is, all at once. */
export function checkServices(
  chosen: NamedContext,
  settings: Settings,
  timeoutMs: number,
): Promise<ServiceHealth[]> {
  return Promise.all(
    serviceNames.map(async (service) => {
      const address = addressOf(service, chosen, settings);
      return { service, address, ...(await check(service, address, chosen, timeoutMs)) };
    }),
  );
}

async function check(
  service: ServiceName,
  address: string,
  { name, context }: NamedContext,
  timeoutMs: number,
): Promise<Pick<ServiceHealth, 'health' | 'latencyMs'>> {
  const client = connect(HealthService, {
    service,
    address,
    timeoutMs,
    context: name,
    tls: context.tls,
    authorise: async () => undefined,
  });
  const beganMs = performance.now();
  try {
    const { status } = await client.check({ service: '' });
    const serving = status === HealthCheckResponse_ServingStatus.SERVING;
    const latencyMs = Math.round(performance.now() - beganMs);
    return { health: serving ? 'serving' : 'not serving', latencyMs };
  } catch (error) {
    if (error instanceof CallFailure) return { health: 'unreachable' };
    throw error;
  } finally {
    client.close();
  }
}
