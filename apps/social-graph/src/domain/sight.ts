import { placeOf } from './listing';
import type { Pair } from './pair';
import { otherSide, type Side, type Tie } from './tie';

/**
 * The members whose lists show a tie differently after a change. Whoever is blocked sees what it saw
 * before, so it is not among them.
 */
export function whoSees(pair: Pair, before: Tie, after: Tie): string[] {
  const sides: readonly Side[] = ['low', 'high'];
  return sides
    .filter((me) => sightOf(pair, before, me) !== sightOf(pair, after, me))
    .map((me) => pair[me].userId);
}

/** All that one side's lists tell of the tie. */
function sightOf(pair: Pair, tie: Tie, me: Side): string {
  const place = placeOf(tie, me, pair[otherSide[me]].nametag);
  return JSON.stringify([place, place?.list === 'friend' ? tie.shares : []]);
}
