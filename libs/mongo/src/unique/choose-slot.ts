import { fingerprint } from '../fingerprint';

/**
 * Returns a slot below the limit that is not taken; undefined when there is none. A unique index gives each slot to one
 * row; rows inserted at the same time should choose different ones, so the choice depends on the row's id.
 */
export function chooseSlot(
  taken: Iterable<number | undefined>,
  limit: number,
  id: string,
): number | undefined {
  const takenSlots = new Set(taken);
  const free = Array.from({ length: limit }, (_, slot) => slot).filter(
    (slot) => !takenSlots.has(slot),
  );
  return free[fingerprint(id) % free.length];
}
