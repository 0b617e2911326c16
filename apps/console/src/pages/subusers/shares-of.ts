import type { Share } from '@daycare/contracts/social-graph';
import { topology } from '../../data/topology';

/** The friends who use a subuser of mine, or to whom it is offered. */
export function sharesOf(
  subuserId: string,
): readonly { readonly friend: string; readonly share: Share }[] {
  return (topology.value?.friends?.friends ?? []).flatMap(({ nametag, sharesOut }) =>
    sharesOut.flatMap(({ share }) =>
      share?.subuserId === subuserId ? [{ friend: nametag, share }] : [],
    ),
  );
}
