import type { NatsLink } from '../nats/nats-link';

/** Wraps a connection so that it loses the receipts for which `isLost` returns true. */
export function withLostReceipts(connection: NatsLink, isLost: () => boolean): NatsLink {
  const publish: NatsLink['publish'] = (subject, payload, options) => {
    if (subject.includes('.receipts.') && isLost()) return;
    connection.publish(subject, payload, options);
  };
  return new Proxy(connection, {
    get(target, property) {
      if (property === 'publish') return publish;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
