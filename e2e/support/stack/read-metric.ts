import type { TestService } from '@daycare/testing';

/** Returns the first value of a metric, as Prometheus reads it from this process; undefined while there is none. */
export async function readMetric(
  { current: { httpAddress } }: TestService,
  name: string,
): Promise<number | undefined> {
  const metrics = await (await fetch(`http://${httpAddress}/metrics`)).text();
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1];
  return value === undefined ? undefined : Number(value);
}
