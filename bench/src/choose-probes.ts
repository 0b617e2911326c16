import { baselines } from './baselines';
import type { Probe, Workload } from './workload';
import { workloads } from './workloads';

/**
 * What `--only` leaves, in the order it is measured: bare limits first. Those are the ones whose
 * name contains the text and the ones that a chosen workload is compared with.
 */
export function chooseProbes(only: string): Workload[] {
  const isMeant = ({ name }: Probe): boolean => name.toLowerCase().includes(only.toLowerCase());
  const chosen = workloads.filter(isMeant);
  const needed = new Set<string>(chosen.flatMap(({ baseline }) => baseline));
  const limits = baselines.filter((probe) => isMeant(probe) || needed.has(probe.name));
  return [...limits.map((limit) => ({ ...limit, baseline: [] })), ...chosen];
}
