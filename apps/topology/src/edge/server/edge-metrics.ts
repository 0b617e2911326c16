import { Counter, Gauge, type Registry } from 'prom-client';
import type { RefusalReason } from '../refusal';

/** The outcome of a visit. */
export type Outcome = 'served' | RefusalReason;

export interface EdgeMetrics {
  observe(outcome: Outcome): void;
}

/** Counts visits by outcome; the labels identify no endpoints or visitors. */
export function makeEdgeMetrics(registry: Registry, countOpenExchanges: () => number): EdgeMetrics {
  const registers = [registry];
  const visits = new Counter({
    name: 'daycare_edge_requests_total',
    help: 'Requests at the HTTP edge, by outcome',
    labelNames: ['outcome'] as const,
    registers,
  });
  new Gauge({
    name: 'daycare_edge_open_requests',
    help: 'Requests and WebSockets in progress at the HTTP edge',
    registers,
    collect() {
      this.set(countOpenExchanges());
    },
  });
  return { observe: (outcome) => visits.inc({ outcome }) };
}
