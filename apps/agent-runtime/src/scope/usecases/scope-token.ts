import { encodePageToken, type PageCursor } from '@daycare/api';
import { positionOf, readPosition, type ScopePosition } from '../../schedules';

/** Where a list continues: after an element, from its start (undefined), or not at all. */
export type ListPosition = ScopePosition | 'end' | undefined;

/** Where each of a scope's lists continues; the lists are paged independently. */
export interface ScopePositions {
  readonly agents: ListPosition;
  readonly crons: ListPosition;
  readonly heartbeats: ListPosition;
}

const partsOfPosition = 3;
const end: PageCursor = ['', 0, ''];

/**
 * Returns the token for the next page, given the last element of each list that has more; empty when every list has
 * ended.
 */
export function scopeTokenOf(
  lastElements: Readonly<Record<keyof ScopePositions, ScopePosition | undefined>>,
) {
  const { agents, crons, heartbeats } = lastElements;
  if (!agents && !crons && !heartbeats) return '';
  const positions = [agents, crons, heartbeats].map((last) => (last ? positionOf(last) : end));
  return encodePageToken(positions.flat());
}

export function readScopePositions(cursor: PageCursor): ScopePositions | undefined {
  const [agents, crons, heartbeats] = [0, 1, 2].map((list) =>
    readPart(cursor.slice(list * partsOfPosition, (list + 1) * partsOfPosition)),
  );
  const isValid = agents && crons && heartbeats && cursor.length === 3 * partsOfPosition;
  return isValid ? { agents, crons, heartbeats } : undefined;
}

function readPart(part: PageCursor): ScopePosition | 'end' | undefined {
  const position = readPosition(part);
  return position?.userId === '' ? 'end' : position;
}
