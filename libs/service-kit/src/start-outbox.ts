import { Gauge } from 'prom-client';
import {
  defineSystemStream,
  startOutboxRelay,
  type OutboxRelayOptions,
  type OutboxStore,
  type SystemStream,
} from '@daycare/messaging';
import type { ServiceKit } from './run-service';
import type { NatsConfig } from './service-config';

/** The stream of the installation; every service must define it alike, so they all do it here. */
export function systemStreamOf({ natsPrefix, republishAfterMs }: NatsConfig): SystemStream {
  const duplicateWindowMs = Math.min(10_000, Math.floor((republishAfterMs * 2) / 3));
  return defineSystemStream({ prefix: natsPrefix, duplicateWindowMs });
}

export interface OutboxParts extends Pick<OutboxRelayOptions, 'db' | 'connection'> {
  readonly outbox: OutboxStore;
}

/**
 * Starts carrying a service's outbox to NATS, registers its stopping and shows how much waits in it.
 * Returns what to call with the lanes that something was appended to.
 */
export function startOutbox(
  config: NatsConfig,
  { db, connection, outbox }: OutboxParts,
  kit: ServiceKit,
): (lanes: readonly string[]) => void {
  const { republishAfterMs } = config;
  const stream = systemStreamOf(config);
  const { source } = outbox;
  const relay = startOutboxRelay({
    db,
    connection,
    stream,
    source,
    logger: kit.log,
    republishAfterMs,
  });
  kit.stop.add('quiesce', 'outbox relay', () => relay.stop());
  showBacklog(outbox, kit);
  return (lanes) => relay.wake(lanes);
}

function showBacklog(outbox: OutboxStore, { metrics: { registry } }: ServiceKit): void {
  const registers = [registry];
  const age = new Gauge({
    name: 'daycare_outbox_oldest_age_seconds',
    help: 'How long the oldest message without a receipt has been waiting',
    registers,
  });
  new Gauge({
    name: 'daycare_outbox_rows',
    help: 'How many messages wait for their receipt',
    registers,
    async collect() {
      const { rows, oldestAcceptedAt } = await outbox.backlog();
      this.set(rows);
      age.set(oldestAcceptedAt ? (Date.now() - oldestAcceptedAt.getTime()) / 1000 : 0);
    },
  });
}
