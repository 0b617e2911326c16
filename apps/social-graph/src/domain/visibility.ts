import { positionOf } from './listing';
import type { Pair } from './tie/pair';
import { otherSide, type Side, type Tie } from './tie/tie';

/**
 * Returns the members whose lists show a tie differently after a change. A block that ends neither a friendship nor the
 * blocker's own request changes nothing in the blocked member's lists, so hints do not reveal it.
 */
export function affectedMembers(pair: Pair, before: Tie, after: Tie): string[] {
  const sides: readonly Side[] = ['low', 'high'];
  return sides
    .filter((me) => visibleState(pair, before, me) !== visibleState(pair, after, me))
    .map((me) => pair[me].userId);
}

/** The parts of the tie that one side's lists show. */
function visibleState(pair: Pair, tie: Tie, me: Side): string {
  const position = positionOf(tie, me, pair[otherSide[me]].nametag);
  const settings = [tie.limits[me], tie.nicknames?.[me]];
  const shown = position?.list === 'friend' ? [tie.shares, ...settings] : [];
  return JSON.stringify([position, shown]);
}
