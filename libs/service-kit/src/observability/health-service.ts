import { EventEmitter, on } from 'node:events';
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthService,
  type HealthCheckRequest,
  type HealthCheckResponse,
} from '@daycare/contracts/health';
import { mergeSignals, onAbort } from '@daycare/async';
import { notFound } from '@daycare/api';
import { implementService, type CallContext, type ServiceImplementation } from '@daycare/rpc';

/**
 * How long a watch may last. Anyone may watch without a credential, so watches are short; a client that wants to
 * continue starts another one.
 */
const defaultMaxWatchMs = 10 * 60_000;

/** Probes have no token. */
const rules = {
  roles: { check: ['anyone'], watch: ['anyone'] },
  scopes: { check: 'any', watch: 'any' },
} as const;

export interface Health {
  readonly implementation: ServiceImplementation;
  readonly isServing: () => boolean;
  setServing(serving: boolean): void;
}

/**
 * The standard health service. A server serves all of its services or none, so all of them, and the empty
 * name for the server itself, share one state.
 */
export function createHealth(services: readonly string[], maxWatchMs = defaultMaxWatchMs): Health {
  const changes = new EventEmitter().setMaxListeners(0);
  const knownServices = new Set(['', ...services]);
  let serving = false;
  const current = (): HealthCheckResponse => ({
    status: serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING,
  });
  const implementation = implementService('grpc.health.v1.Health', HealthService, rules, {
    async check({ service }: HealthCheckRequest) {
      if (!knownServices.has(service)) throw notFound('service');
      return current();
    },
    watch: ({ service }, context) =>
      withinTime(context, maxWatchMs, (signal) =>
        knownServices.has(service) ? watch(changes, current, signal) : unknownService(signal),
      ),
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

/** Yields the current status, then the status after every change. */
async function* watch(
  changes: EventEmitter,
  current: () => HealthCheckResponse,
  signal: AbortSignal,
): AsyncIterable<HealthCheckResponse> {
  const changed = on(changes, 'change', { signal });
  yield current();
  try {
    for await (const _ of changed) yield current();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Watches an unknown service. The protocol requires the stream to stay open, in case the service is added later. */
async function* unknownService(signal: AbortSignal): AsyncIterable<HealthCheckResponse> {
  yield { status: ServingStatus.SERVICE_UNKNOWN };
  await new Promise((resolve) => onAbort(signal, () => resolve(undefined)));
}

/** Yields the stream's elements until the call ends or `maxMs` have passed. */
async function* withinTime<T>(
  { signal: callEnded }: CallContext,
  maxMs: number,
  stream: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncIterable<T> {
  const timeIsUp = new AbortController();
  const timer = setTimeout(() => timeIsUp.abort(), maxMs).unref();
  const { signal, release } = mergeSignals(callEnded, timeIsUp.signal);
  try {
    yield* stream(signal);
  } finally {
    clearTimeout(timer);
    release();
  }
}
