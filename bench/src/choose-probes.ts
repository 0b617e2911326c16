import { baselines } from './baselines';
import type { Probe, Workload } from './kit/workload';
import { workloads } from './workloads';

export interface Selection {
  /** Text that the name must contain; empty for all. */
  readonly only: string;
  /** Whether to measure only the cells that a comparison of two runs uses. */
  readonly reach: boolean;
}

/**
 * Returns the probes to measure, in order. The bare limits come first, and include those with which a chosen workload
 * is compared.
 */
export function chooseProbes({ only, reach }: Selection): Workload[] {
  const matches = ({ name }: Probe): boolean => name.toLowerCase().includes(only.toLowerCase());
  const chosen = workloads.filter(
    (workload) => matches(workload) && (!reach || workload.reach !== undefined),
  );
  const needed = new Set<string>(chosen.flatMap(({ baseline }) => baseline));
  const limits = baselines.filter((probe) => (matches(probe) && !reach) || needed.has(probe.name));
  const all = [...limits.map((limit): Workload => ({ ...limit, baseline: [] })), ...chosen];
  return reach ? all.map((probe) => ({ ...probe, inFlight: probe.reach ?? [1, 64] })) : all;
}
