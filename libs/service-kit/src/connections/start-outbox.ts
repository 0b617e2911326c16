import { Gauge } from 'prom-client';
import {
  defineSystemStream,
  startOutboxRelay,
  type OutboxRelayHandle,
  type OutboxRelayOptions,
  type SystemStream,
} from '@daycare/messaging';
import type { ServiceKit } from '../process/run-service';
import type { NatsConfig } from '../config/nats-config';

/** Returns the installation's system stream, defined here so that all services define it identically. */
export function systemStreamOf(config: NatsConfig): SystemStream {
  const { natsPrefix, natsReplicas, natsPlacement, natsRecreateAfterMs, republishAfterMs } = config;
  return defineSystemStream({
    prefix: natsPrefix,
    duplicateWindowMs: Math.min(10_000, Math.floor((republishAfterMs * 2) / 3)),
    recreateAfterMs: natsRecreateAfterMs,
    ...(natsReplicas === undefined ? {} : { replicas: natsReplicas }),
    ...(natsPlacement ? { placement: natsPlacement } : {}),
  });
}

export type OutboxDeps = Pick<OutboxRelayOptions, 'outbox' | 'sources' | 'connection'>;

/** Starts publishing a service's messages to NATS, registers the shutdown step and reports the backlog. */
export function startOutbox(
  config: NatsConfig,
  deps: OutboxDeps,
  kit: ServiceKit,
): OutboxRelayHandle {
  const { republishAfterMs } = config;
  const relay = startOutboxRelay({
    ...deps,
    stream: systemStreamOf(config),
    logger: kit.log,
    observer: kit.metrics.messaging,
    republishAfterMs,
  });
  kit.stop.add('quiesce', 'outbox relay', () => relay.stop());
  registerBacklogMetrics(relay, kit);
  kit.status.reportOutbox(() => relay.backlog());
  return relay;
}

function registerBacklogMetrics(
  relay: OutboxRelayHandle,
  { metrics: { registry } }: ServiceKit,
): void {
  const registers = [registry];
  const age = new Gauge({
    name: 'daycare_outbox_oldest_age_seconds',
    help: 'How long the oldest message without a receipt has been waiting',
    registers,
  });
  new Gauge({
    name: 'daycare_outbox_rows',
    help: 'How many messages are waiting for their receipt',
    registers,
    async collect() {
      const { rows, oldestAcceptedAt } = await relay.backlog();
      this.set(rows);
      age.set(oldestAcceptedAt ? (Date.now() - oldestAcceptedAt.getTime()) / 1000 : 0);
    },
  });
}
