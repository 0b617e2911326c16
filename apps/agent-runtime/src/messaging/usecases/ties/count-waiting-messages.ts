import { invalidField } from '@daycare/api';
import type { TiedMessageStore } from '../../store/tied-message-store';

/** One side of a tie. */
export interface WaitingSender {
  readonly tieId: string;
  readonly userId: string;
}

const maxSenders = 1_000;

/**
 * For each of these sides of ties, counts the messages sent from this side that are waiting in inboxes and mailboxes;
 * the counts are in the order of `senders`.
 */
export function makeCountWaitingMessages({
  tiedMessages,
}: {
  readonly tiedMessages: Pick<TiedMessageStore, 'countWaitingBySide'>;
}) {
  return async (senders: readonly WaitingSender[]): Promise<readonly number[]> => {
    if (senders.length > maxSenders)
      throw invalidField('senders', `must have at most ${maxSenders} elements`);
    const tieIds = [...new Set(senders.map(({ tieId }) => tieId))];
    const found = await tiedMessages.countWaitingBySide(tieIds);
    const keyOf = ({ tieId, userId }: WaitingSender): string => JSON.stringify([tieId, userId]);
    const countOf = new Map(found.map((each) => [keyOf(each), each.count]));
    return senders.map((sender) => countOf.get(keyOf(sender)) ?? 0);
  };
}
