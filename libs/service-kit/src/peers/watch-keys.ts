import { Gauge } from 'prom-client';
import type { KeyRing } from '@daycare/auth';
import type { ServiceKit } from '../process/run-service';

/**
 * Keys and revocations that are older than this are a fault, because revocations should take effect within five
 * seconds.
 */
const staleAfterMs = 30_000;
const checkEveryMs = 10_000;

/**
 * Exports the age of the last known keys and revocations, and logs an error while they are too old, because tokens
 * revoked in the meantime are still accepted.
 */
export function watchKeyAge(
  keys: Pick<KeyRing, 'freshAt'>,
  { log, metrics, stop }: Pick<ServiceKit, 'log' | 'metrics' | 'stop'>,
): void {
  const startedAt = Date.now();
  const ageMs = (): number => Date.now() - (keys.freshAt || startedAt);
  new Gauge({
    name: 'daycare_keys_age_seconds',
    help: 'How long ago signing keys and revocations were last fetched successfully',
    registers: [metrics.registry],
    collect() {
      this.set(ageMs() / 1000);
    },
  });
  const timer = setInterval(() => {
    if (ageMs() < staleAfterMs) return;
    const ageSeconds = Math.round(ageMs() / 1000);
    log.error(
      { ageSeconds },
      'revocations are not being received; tokens revoked in the meantime are still accepted',
    );
  }, checkEveryMs);
  timer.unref();
  stop.add('quiesce', 'key age', async () => clearInterval(timer));
}

/** Returns a function that logs that a calling service's clock differs from this service's. */
export function reportClockSkew(
  log: ServiceKit['log'],
): (service: string, seconds: number) => void {
  return (service, seconds) =>
    log.warn(
      { from: service, seconds },
      "a calling service's clock differs from this service's; check both",
    );
}
