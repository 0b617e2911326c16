import type { TiePolicy } from '../domain/tie/tie';

/** A policy without waiting times and with generous limits, unless the test says otherwise. */
export function testPolicy(overrides: Partial<TiePolicy> = {}): TiePolicy {
  const noWaits = { cooldownMs: 0, requestNoticeEveryMs: 0 };
  return { ...noWaits, offersPerHour: 60, maxShares: 100, maxBlocks: 5_000, ...overrides };
}
