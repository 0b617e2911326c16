import { encodePageToken, type PageCursor } from '@daycare/errors';
import type { ScopePlace } from '../store/owned-rows';
import { placeOf, readPlace } from './schedule-place';

/** Where a list goes on: after its last element so far, from its beginning, or not at all. */
export type ListPlace = ScopePlace | 'end' | undefined;

/** Each list of a scope goes on by itself. */
export interface ScopePlaces {
  readonly agents: ListPlace;
  readonly crons: ListPlace;
  readonly heartbeats: ListPlace;
}

const partsOfPlace = 3;
const end: PageCursor = ['', 0, ''];

/** Empty when every list has come to its end. The arguments are the last elements of pages with more after them. */
export function scopeTokenOf(lasts: Readonly<Record<keyof ScopePlaces, ScopePlace | undefined>>) {
  const { agents, crons, heartbeats } = lasts;
  if (!agents && !crons && !heartbeats) return '';
  const places = [agents, crons, heartbeats].map((last) => (last ? placeOf(last) : end));
  return encodePageToken(places.flat());
}

export function readScopePlaces(cursor: PageCursor): ScopePlaces | undefined {
  const [agents, crons, heartbeats] = [0, 1, 2].map((list) =>
    readPart(cursor.slice(list * partsOfPlace, (list + 1) * partsOfPlace)),
  );
  const isOurs = agents && crons && heartbeats && cursor.length === 3 * partsOfPlace;
  return isOurs ? { agents, crons, heartbeats } : undefined;
}

function readPart(part: PageCursor): ScopePlace | 'end' | undefined {
  const place = readPlace(part);
  return place?.userId === '' ? 'end' : place;
}
