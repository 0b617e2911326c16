import { HealthCheckResponse_ServingStatus, HealthService } from '@daycare/contracts/health';
import { serviceNames, type ServiceName } from '@daycare/local-stack/lookup';
import { AppError } from '@daycare/api';
import { createRpcClient } from '@daycare/rpc';
import type { Settings } from '../../config';
import { addressOf } from '../contexts/address-of';
import type { NamedContext } from '../contexts/context';
import { tlsCredentials } from './tls-credentials';

/** The health of one service in a context. */
export interface ServiceHealth {
  readonly service: ServiceName;
  readonly address: string;
  /** As reported by the service, or `unreachable`. */
  readonly health: 'serving' | 'not serving' | 'unreachable';
  /** How long the health check took, including the connection. */
  readonly latencyMs?: number;
}

/** Checks the health of all services in a context concurrently. */
export function checkServices(
  chosen: NamedContext,
  settings: Settings,
  timeoutMs: number,
): Promise<ServiceHealth[]> {
  return Promise.all(
    serviceNames.map(async (service) => {
      const address = addressOf(service, chosen, settings);
      return { service, address, ...(await check(address, chosen, timeoutMs)) };
    }),
  );
}

async function check(
  address: string,
  { context }: NamedContext,
  timeoutMs: number,
): Promise<Pick<ServiceHealth, 'health' | 'latencyMs'>> {
  const credentials = tlsCredentials(context.tls);
  const client = createRpcClient(HealthService, { address, timeoutMs, credentials });
  const startMs = performance.now();
  try {
    const { status } = await client.check({ service: '' });
    const serving = status === HealthCheckResponse_ServingStatus.SERVING;
    const latencyMs = Math.round(performance.now() - startMs);
    return { health: serving ? 'serving' : 'not serving', latencyMs };
  } catch (error) {
    if (error instanceof AppError) return { health: 'unreachable' };
    throw error;
  } finally {
    client.close();
  }
}
