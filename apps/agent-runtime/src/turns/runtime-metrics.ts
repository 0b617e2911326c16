import { Counter, Gauge } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { InboxReader } from '../messaging';
import type { AgentScheduler } from './loop/agent-scheduler';
import type { LeaseObserver } from './leases/served-shards';

/** Registers the metrics of inboxes and shards; the returned observer counts gained, lost and released leases. */
export function registerRuntimeMetrics(
  { inbox }: { readonly inbox: InboxReader },
  scheduler: AgentScheduler,
  { metrics: { registry } }: Pick<ServiceKit, 'metrics'>,
): LeaseObserver {
  const registers = [registry];
  registerBacklog(inbox, registers);
  new Gauge({
    name: 'daycare_shards_served',
    help: 'Shards served by this replica',
    registers,
    collect() {
      this.set(scheduler.servedShards.length);
    },
  });
  new Gauge({
    name: 'daycare_agents_waiting',
    help: "Agents on this replica whose work is waiting for a retry, or because of the limits on guests' turns",
    registers,
    collect() {
      this.set(scheduler.agentsAwaitingRetry);
    },
  });
  const moves = new Counter({
    name: 'daycare_lease_moves_total',
    help: 'Shard leases gained, lost and released',
    labelNames: ['move'] as const,
    registers,
  });
  return {
    gained: () => moves.inc({ move: 'gained' }),
    lost: () => moves.inc({ move: 'lost' }),
    released: () => moves.inc({ move: 'released' }),
  };
}

function registerBacklog(inbox: InboxReader, registers: ServiceKit['metrics']['registry'][]): void {
  const age = new Gauge({
    name: 'daycare_inbox_oldest_age_seconds',
    help: 'Age of the oldest waiting item, among up to 10,000 agents',
    registers,
  });
  new Gauge({
    name: 'daycare_inbox_items',
    help: 'Items waiting in all inboxes, counted up to 10,000',
    registers,
    async collect() {
      const { items, oldestAt } = await inbox.backlog();
      this.set(items);
      age.set(oldestAt ? (Date.now() - oldestAt.getTime()) / 1000 : 0);
    },
  });
}
