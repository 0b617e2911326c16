import { HealthCheckResponse_ServingStatus, HealthService } from '@daycare/contracts/health';
import { serviceNames, type ServiceName } from '@daycare/local-stack/lookup';
import type { Settings } from '../../config';
import { CallFailure } from '../../failure/call-failure';
import { addressOf } from '../contexts/address-of';
import { connect } from './connect';
import type { NamedContext } from '../contexts/context';

/** The health of one service of a context. */
export interface ServiceHealth {
  readonly service: ServiceName;
  readonly address: string;
  /** As reported by the service, or `unreachable`. */
  readonly health: 'serving' | 'not serving' | 'unreachable';
  /** Of the health check, including the connection. */
  readonly latencyMs?: number;
}

/** Checks the health of all services of a context concurrently. */
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
  const startMs = performance.now();
  try {
    const { status } = await client.check({ service: '' });
    const serving = status === HealthCheckResponse_ServingStatus.SERVING;
    const latencyMs = Math.round(performance.now() - startMs);
    return { health: serving ? 'serving' : 'not serving', latencyMs };
  } catch (error) {
    if (error instanceof CallFailure) return { health: 'unreachable' };
    throw error;
  } finally {
    client.close();
  }
}
