import type { Reservation } from '../domain/request-budget';
import type { CountPending } from './budget-store';
import type { TieStore } from './tie-store';

/**
 * Counts pending requests in the ties, and reservations whose ties are not written yet. The reservations are
 * checked first, so one whose tie is written in between is counted twice rather than missed.
 */
export function makeCountPending(ties: TieStore): CountPending {
  const isOpen = async ({ pairId, version }: Reservation): Promise<boolean> =>
    ((await ties.find(pairId))?.version ?? 0) === version;
  return async (reservationsByUser) => {
    const open = await Promise.all(
      [...reservationsByUser].map(async ([userId, reservations]) => {
        const areOpen = await Promise.all(reservations.map(isOpen));
        return [userId, areOpen.filter(Boolean).length] as const;
      }),
    );
    const pending = await ties.countPendingOut([...reservationsByUser.keys()]);
    return new Map(open.map(([userId, count]) => [userId, count + (pending.get(userId) ?? 0)]));
  };
}
