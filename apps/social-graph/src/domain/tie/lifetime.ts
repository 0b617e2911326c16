import type { Tie, TiePolicy } from './tie';
import { rememberedMs, type TieRequest } from './tie-requests';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/**
 * How long the notice of a request may wait, even if the request has ended; a block within this time drops the notice.
 */
const requestNoticeMs = 30 * dayMs;

/** A new tie's version starts at the seconds since this time, so that versions fit into 31 bits. */
const versionEpochMs = Date.UTC(2020, 0, 1);

/** How far the clocks of replicas may differ. */
const maxSkewMs = dayMs;

/**
 * Returns the version from which a new tie counts up. `removableAt` ensures that it is at least as high as the last
 * version of any earlier tie of the pair: messages are compared by version, so versions must never go back.
 */
export function versionBefore(now: Date): number {
  return Math.floor((now.getTime() - versionEpochMs) / 1000);
}

/** A tie with the requests that it remembers and its version. */
export interface TieContent {
  readonly tie: Tie;
  readonly recent: readonly TieRequest[];
  readonly version: number;
}

/**
 * Returns the time from which a tie can be removed without changing any answer; undefined while it is not empty. An
 * empty tie is kept for cooldowns, for the limits on notices and offers, for retries, while the notice of a request may
 * still wait, and as long as a new tie of the pair might count from a lower version.
 */
export function removableAt(
  { tie, recent, version }: TieContent,
  policy: TiePolicy,
): Date | undefined {
  if (!isEmpty(tie)) return undefined;
  const noticeMs = Math.max(requestNoticeMs, policy.requestNoticeEveryMs);
  const ends = [
    versionEpochMs + version * 1000 + maxSkewMs,
    ...Object.values(tie.cooldownUntil).map((until) => until.getTime()),
    ...Object.values(tie.requestNotifiedAt).map((at) => at.getTime() + noticeMs),
    ...Object.values(tie.offers).map(({ from }) => from.getTime() + hourMs),
    ...recent.map(({ at }) => at.getTime() + rememberedMs),
  ];
  return new Date(Math.max(...ends));
}

function isEmpty({ bond, blockedSince, shares, limits, nicknames = {} }: Tie): boolean {
  const hasChoices = [blockedSince, limits, nicknames].some(
    (bySide) => Object.keys(bySide).length > 0,
  );
  return bond.kind === 'none' && shares.length === 0 && !hasChoices;
}
