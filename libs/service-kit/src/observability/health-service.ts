import { EventEmitter, on } from 'node:events';
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthService,
  type HealthCheckRequest,
  type HealthCheckResponse,
} from '@daycare/contracts/health';
import { notFound } from '@daycare/api';
import { implementService, type CallContext, type ServiceImplementation } from '@daycare/rpc';

/** Probes have no token. */
const access = { check: ['anyone'], watch: ['anyone'] } as const;

export interface Health {
  readonly implementation: ServiceImplementation;
  readonly isServing: () => boolean;
  setServing(serving: boolean): void;
}

/**
 * The standard health service. A server serves all of its services or none, so all of them, and the empty
 * name for the server itself, share one state.
 */
export function createHealth(services: readonly string[]): Health {
  const changes = new EventEmitter().setMaxListeners(0);
  const known = new Set(['', ...services]);
  let serving = false;
  const current = (): HealthCheckResponse => ({
    status: serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING,
  });
  const implementation = implementService('grpc.health.v1.Health', HealthService, access, {
    async check({ service }: HealthCheckRequest) {
      if (!known.has(service)) throw notFound('service');
      return current();
    },
    watch: ({ service }, context) =>
      known.has(service) ? watch(changes, current, context) : unknownService(context),
  });
  return {
    implementation,
    isServing: () => serving,
    setServing(next) {
      serving = next;
      changes.emit('change');
    },
  };
}

async function* watch(
  changes: EventEmitter,
  current: () => HealthCheckResponse,
  { signal }: CallContext,
): AsyncIterable<HealthCheckResponse> {
  const changed = on(changes, 'change', { signal });
  yield current();
  for await (const _ of changed) yield current();
}

/** The protocol demands that such a stream stays open, in case the service is added later. */
async function* unknownService({ signal }: CallContext): AsyncIterable<HealthCheckResponse> {
  yield { status: ServingStatus.SERVICE_UNKNOWN };
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
