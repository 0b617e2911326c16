import {
  assertRequestIdUnused,
  findRequest,
  rememberRequest,
  type RecentRequest,
} from '@daycare/api';
import type { Side } from './tie';

/** A call that changed or confirmed a tie, remembered so that a retry gets the same answer. */
export interface TieRequest extends RecentRequest {
  readonly by: Side;
  readonly command: string;
  readonly answer: string;
  readonly at: Date;
}

/** How long a retry gets the same answer, unless its side has made many further calls since (see `remember`). */
export const rememberedMs = 24 * 60 * 60 * 1000;

/** Finds the earlier request by this side with the same id and command. */
export function findRetry(
  recent: readonly TieRequest[],
  by: Side,
  id: string,
  command: string,
): TieRequest | undefined {
  const earlier = findRequest(requestsBy(recent, by), id);
  return earlier?.command === command ? earlier : undefined;
}

/** Throws when the side has used the id before; call `findRetry` first to recognise a retry. */
export function assertIdUnused(recent: readonly TieRequest[], by: Side, id: string): void {
  assertRequestIdUnused(requestsBy(recent, by), id);
}

/**
 * Adds a request and drops those that are too old to be retried. Each side has its own limit, so
 * neither can push out the other's requests.
 */
export function remember(recent: readonly TieRequest[], next: TieRequest): TieRequest[] {
  const remembered = recent.filter(({ at }) => next.at.getTime() - at.getTime() < rememberedMs);
  const others = remembered.filter(({ by }) => by !== next.by);
  return [...others, ...rememberRequest(requestsBy(remembered, next.by), next)];
}

function requestsBy(recent: readonly TieRequest[], side: Side): TieRequest[] {
  return recent.filter(({ by }) => by === side);
}
