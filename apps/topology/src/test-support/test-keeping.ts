import { encodeSections } from '../rpc/topology-messages';
import type { GetTopologyDeps } from '../usecases/view/get-topology';
import { KeptViews } from '../usecases/view/kept-views';

/** How views are kept and encoded; nothing is kept at first. */
export function keeping(maxBytes = 64 << 20): Pick<GetTopologyDeps, 'kept' | 'encode'> {
  return {
    kept: new KeptViews({ maxBytes, unusedMs: 60_000 }),
    encode: (view) => encodeSections(view, () => ''),
  };
}
