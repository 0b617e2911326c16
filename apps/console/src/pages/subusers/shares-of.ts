import { computed } from '@preact/signals';
import type { Share } from '@daycare/contracts/social-graph';
import { topology } from '../../data/topology';

interface SharedWith {
  readonly friend: string;
  readonly share: Share;
}

/**
 * The shares of each subuser. Computed for all at once: the page that lists subusers needs them all, and a person may
 * have many friends.
 */
const sharesBySubuser = computed<ReadonlyMap<string, readonly SharedWith[]>>(() => {
  const found = new Map<string, SharedWith[]>();
  for (const { nametag: friend, sharesOut } of topology.value?.friends?.friends ?? [])
    for (const { share } of sharesOut) {
      if (!share) continue;
      const known = found.get(share.subuserId) ?? [];
      found.set(share.subuserId, known);
      known.push({ friend, share });
    }
  return found;
});

/** The friends who use a subuser of mine, or to whom it is offered. */
export function sharesOf(subuserId: string): readonly SharedWith[] {
  return sharesBySubuser.value.get(subuserId) ?? [];
}
