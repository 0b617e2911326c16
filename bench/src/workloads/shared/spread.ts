import type { ServiceName } from '@daycare/local-stack';
import type { BenchStack } from '../../kit/bench-stack';

/** One client per replica of a service, used in turn. */
export interface Spread<T> {
  next(): T;
  close(): void;
}

export function connectReplicas<T extends { close(): void }>(
  stack: BenchStack,
  service: ServiceName,
  connect: (address: string) => T,
): Spread<T> {
  const clients = stack.addressesOf(service).map(connect);
  let calls = 0;
  return {
    next: () => clients[calls++ % clients.length]!,
    close: () => clients.forEach((client) => client.close()),
  };
}
