import type { TieStore } from '../store/tie-store';

export interface HintSharersDeps {
  readonly ties: Pick<TieStore, 'findSomeSharing'>;
  /** Hints users that something they see has changed. */
  readonly hint: (userIds: readonly string[]) => void;
}

/** Whoever is beyond these looks by itself. */
const mostTies = 1_000;

/** Hints those between whom a subuser is shared: their lists show its name and its gateway. */
export function makeHintSharers({ ties, hint }: HintSharersDeps) {
  return async (subuserId: string): Promise<void> => {
    const sharing = await ties.findSomeSharing(subuserId, mostTies);
    hint(sharing.flatMap(({ pair: { low, high } }) => [low.userId, high.userId]));
  };
}
