import { Counter, Gauge, Histogram } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { InboxStore } from '../store/inbox-store';
import type { ShowTick } from '../usecases/fire-due';
import type { AgentScheduler } from './agent-scheduler';
import type { LeaseObserver } from './served-shards';

/** Shows what waits and who serves it; the answer counts leases as they come and go. */
export function showRuntime(
  { inbox }: { readonly inbox: InboxStore },
  scheduler: AgentScheduler,
  { metrics: { registry } }: Pick<ServiceKit, 'metrics'>,
): LeaseObserver {
  const registers = [registry];
  showBacklog(inbox, registers);
  new Gauge({
    name: 'daycare_shards_served',
    help: 'How many shards this replica serves',
    registers,
    collect() {
      this.set(scheduler.servedShards.length);
    },
  });
  const moves = new Counter({
    name: 'daycare_lease_moves_total',
    help: 'Leases on shards that came and went, by how',
    labelNames: ['move'] as const,
    registers,
  });
  return {
    gained: () => moves.inc({ move: 'gained' }),
    lost: () => moves.inc({ move: 'lost' }),
    released: () => moves.inc({ move: 'released' }),
  };
}

/** Counts ticks of schedules that were told, by how late they were. */
export function showTicks({ metrics: { registry } }: Pick<ServiceKit, 'metrics'>): ShowTick {
  const lateness = new Histogram({
    name: 'daycare_schedule_lateness_seconds',
    help: 'How late ticks of schedules were told, by the clock of schedules',
    labelNames: ['kind'] as const,
    buckets: [1, 2.5, 5, 10, 30, 60, 300, 600, 3_600, 86_400],
    registers: [registry],
  });
  return (kind, tick, now) => lateness.observe({ kind }, (now.getTime() - tick.getTime()) / 1000);
}

function showBacklog(inbox: InboxStore, registers: ServiceKit['metrics']['registry'][]): void {
  const age = new Gauge({
    name: 'daycare_inbox_oldest_age_seconds',
    help: 'How long the oldest item in any inbox has been waiting',
    registers,
  });
  new Gauge({
    name: 'daycare_inbox_items',
    help: 'How many items wait in all inboxes',
    registers,
    async collect() {
      const { items, oldestAt } = await inbox.backlog();
      this.set(items);
      age.set(oldestAt ? (Date.now() - oldestAt.getTime()) / 1000 : 0);
    },
  });
}
