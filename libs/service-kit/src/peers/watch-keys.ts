import { Gauge } from 'prom-client';
import type { KeyRing } from '@daycare/auth';
import type { ServiceKit } from '../process/run-service';

/** Revocations take effect within five seconds as long as the list is not older than this. */
const staleAfterMs = 30_000;
const checkEveryMs = 10_000;

/**
 * Publishes the age of the last known keys and revocations, and logs an error while it is too high, because
 * nothing that was revoked since then is refused.
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
    log.error({ ageSeconds }, 'revocations are not being received; revoked tokens are accepted');
  }, checkEveryMs);
  timer.unref();
  stop.add('quiesce', 'key age', async () => clearInterval(timer));
}

/** Logs that the clock of a calling service differs. */
export function reportClockSkew(
  log: ServiceKit['log'],
): (service: string, seconds: number) => void {
  return (service, seconds) =>
    log.warn(
      { from: service, seconds },
      'the clock of a calling service differs from this one; check both',
    );
}
