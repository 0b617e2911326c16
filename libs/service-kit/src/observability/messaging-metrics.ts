import { Counter, Histogram, type Registry } from 'prom-client';
import type { MessagingObserver } from '@daycare/messaging';

/** Counts what happens to the messages that a service publishes and consumes. */
export function createMessagingMetrics(registry: Registry): MessagingObserver {
  return { ...senderMetrics([registry]), ...recipientMetrics([registry]) };
}

function senderMetrics(registers: Registry[]): MessagingObserver {
  const published = new Counter({
    name: 'daycare_messages_published_total',
    help: 'Messages published to NATS, for the first time or again because no receipt arrived',
    labelNames: ['attempt'] as const,
    registers,
  });
  const failures = new Counter({
    name: 'daycare_messages_publish_failures_total',
    help: 'Attempts to publish a bundle of messages that NATS did not confirm',
    registers,
  });
  const delivery = new Histogram({
    name: 'daycare_messages_delivery_seconds',
    help: 'Time from accepting a message to storing its receipt, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
    registers,
  });
  return {
    published: ({ attempt }) => published.inc({ attempt: attempt === 1 ? 'first' : 'repeated' }),
    publishFailed: () => failures.inc(),
    receiptStored: ({ outcome, ageMs }) => delivery.observe({ outcome }, ageMs / 1000),
  };
}

function recipientMetrics(registers: Registry[]): MessagingObserver {
  const handled = new Counter({
    name: 'daycare_messages_handled_total',
    help: 'Messages handled successfully',
    registers,
  });
  const retried = new Counter({
    name: 'daycare_messages_retried_total',
    help: 'Failed attempts to handle a message that will be retried, by error code',
    labelNames: ['code'] as const,
    registers,
  });
  const buried = new Counter({
    name: 'daycare_messages_buried_total',
    help: 'Messages that became dead letters, by error code',
    labelNames: ['code'] as const,
    registers,
  });
  return {
    handled: () => handled.inc(),
    retried: ({ code }) => retried.inc({ code }),
    buried: ({ code }) => buried.inc({ code }),
  };
}
