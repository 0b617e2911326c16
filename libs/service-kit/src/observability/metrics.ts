import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MessagingObserver } from '@daycare/messaging';
import type { CallOutcome } from '@daycare/rpc';
import { createMessagingMetrics } from './messaging-metrics';

/** The Prometheus metrics of one service. Apps register their own on `registry`. */
export interface Metrics {
  readonly registry: Registry;
  readonly messaging: MessagingObserver;
  observeCall(outcome: CallOutcome): void;
  /** Runs a limit check, and counts a refusal if the check throws. */
  countRefusals<T>(limit: 'rate' | 'streams', check: () => T): T;
  /** Exports how many streams users, clients and anonymous callers have open. */
  observeStreams(count: () => number): void;
}

/**
 * How often the event loop's lag is sampled. Every sample wakes the process; with the default of 10 ms, sampling is
 * most of what an idle process does.
 */
const lagSampleMs = 500;

export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ app: service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
  const calls = new Histogram({
    name: 'daycare_rpc_duration_seconds',
    help: 'How long calls took, by outcome',
    labelNames: ['service', 'method', 'code'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'daycare_rpc_limited_total',
    help: 'Calls that were refused because a limit was reached: calls per second of a caller, or open streams',
    labelNames: ['limit'] as const,
    registers: [registry],
  });
  return {
    registry,
    messaging: createMessagingMetrics(registry),
    countRefusals(limit, check) {
      try {
        return check();
      } catch (error) {
        refusals.inc({ limit });
        throw error;
      }
    },
    observeCall({ service: rpcService, method, code, durationMs }) {
      calls.observe({ service: rpcService, method, code }, durationMs / 1000);
    },
    observeStreams(count) {
      new Gauge({
        name: 'daycare_rpc_open_streams',
        help: 'How many streams users, clients and anonymous callers have open',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
  };
}
