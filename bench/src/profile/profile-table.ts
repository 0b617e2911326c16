import { formatTable } from '@daycare/terminal';
import type { ProcessProfile } from './read-profiles';

/** Rows whose share of the time is below this in every process are not shown. */
const minShare = 0.01;

/** Formats where each process's time went, as shares by package, the busiest package first. */
export function formatProfiles(profiles: readonly ProcessProfile[]): string {
  const totals = profiles.map(({ busy }) => sum([...busy.values()]));
  const share = (owner: string, index: number): number =>
    (profiles[index]?.busy.get(owner) ?? 0) / Math.max(1, totals[index] ?? 0);
  const owners = [...new Set(profiles.flatMap(({ busy }) => [...busy.keys()]))];
  const overall = (owner: string): number => sum(profiles.map((_, index) => share(owner, index)));
  const shown = owners
    .filter((owner) => profiles.some((_, index) => share(owner, index) >= minShare))
    .sort((one, other) => overall(other) - overall(one));
  const align = 'right' as const;
  return formatTable(
    [{ heading: 'busy time' }, ...profiles.map(({ process }) => ({ heading: process, align }))],
    [
      ...shown.map((owner) => [owner, ...profiles.map((_, index) => percent(share(owner, index)))]),
      ['seconds', ...totals.map((us) => (us / 1_000_000).toFixed(1))],
    ],
    { hasRule: true },
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
