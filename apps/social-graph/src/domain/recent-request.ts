import { AppError } from '@daycare/errors';
import type { Side } from './tie';

/** A call that changed or confirmed a tie, remembered so that a retry gets the same answer. */
export interface RecentRequest {
  readonly by: Side;
  readonly id: string;
  readonly command: string;
  readonly answer: string;
  readonly at: Date;
}

/** Of each side: enough for any client that retries, few enough to keep the document small. */
const mostRemembered = 16;
const rememberedMs = 24 * 60 * 60 * 1000;

/** The answer given before to the same command under this id. */
export function findEarlier(
  recent: readonly RecentRequest[],
  by: Side,
  id: string,
  command: string,
): RecentRequest | undefined {
  return recent.find((each) => each.by === by && each.id === id && each.command === command);
}

/** Throws when the id was used before; ask `findEarlier` first whether this is a retry. */
export function refuseReuse(recent: readonly RecentRequest[], by: Side, id: string): void {
  if (!recent.some((each) => each.by === by && each.id === id)) return;
  throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}

/**
 * Remembers one more and forgets what no client will ask for again. Each side has room of its own,
 * so that nobody can make the other's calls be forgotten.
 */
export function remember(recent: readonly RecentRequest[], next: RecentRequest): RecentRequest[] {
  const young = recent.filter(({ at }) => next.at.getTime() - at.getTime() < rememberedMs);
  const mine = young.filter(({ by }) => by === next.by).slice(1 - mostRemembered);
  return [...young.filter(({ by }) => by !== next.by), ...mine, next];
}
