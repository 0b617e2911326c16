import type { TieStore } from '../../store/tie-store';

export interface HintSharersDeps {
  readonly ties: Pick<TieStore, 'findBySharedSubuser'>;
  /** Notifies the watchers of these users that their topology has changed. */
  readonly hint: (userIds: readonly string[]) => void;
}

/** The members of any further ties get no hint: their watchers see the change when they poll. */
const maxTies = 1_000;

/** Sends a hint to the members of ties in which a subuser is shared: their lists show its name and gateway. */
export function makeHintSharers({ ties, hint }: HintSharersDeps) {
  return async (subuserId: string): Promise<void> => {
    const sharing = await ties.findBySharedSubuser(subuserId, maxTies);
    hint(sharing.flatMap(({ pair: { low, high } }) => [low.userId, high.userId]));
  };
}
