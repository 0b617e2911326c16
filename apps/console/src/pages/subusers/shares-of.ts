import { computed } from '@preact/signals';
import { topology } from '../../data/topology';
import type { SharedWith } from './describe-shares';

/**
 * Each subuser's shares. They are computed for all subusers together, because the page that lists subusers needs all of
 * them and a person may have many friends.
 */
const sharesBySubuser = computed<ReadonlyMap<string, readonly SharedWith[]>>(() => {
  const shares = new Map<string, SharedWith[]>();
  for (const { nametag: friend, sharesOut } of topology.value?.friends?.friends ?? [])
    for (const { share } of sharesOut) {
      if (!share) continue;
      const sharesOfSubuser = shares.get(share.subuserId) ?? [];
      shares.set(share.subuserId, sharesOfSubuser);
      sharesOfSubuser.push({ friend, share });
    }
  return shares;
});

/** Returns the friends who use one of my subusers or to whom it is offered. */
export function sharesOf(subuserId: string): readonly SharedWith[] {
  return sharesBySubuser.value.get(subuserId) ?? [];
}
