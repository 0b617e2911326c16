import { Histogram } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { RecordTick } from './usecases/firing/fire-due';

/** Records how late each tick of a schedule was delivered. */
export function recordTicks({ registry }: Pick<ServiceKit['metrics'], 'registry'>): RecordTick {
  const lateness = new Histogram({
    name: 'daycare_schedule_lateness_seconds',
    help: "Delay between a schedule's due time and its delivery, by the schedule clock",
    labelNames: ['kind'] as const,
    buckets: [1, 2.5, 5, 10, 30, 60, 300, 600, 3_600, 86_400],
    registers: [registry],
  });
  return (kind, tick, now) => lateness.observe({ kind }, (now.getTime() - tick.getTime()) / 1000);
}
