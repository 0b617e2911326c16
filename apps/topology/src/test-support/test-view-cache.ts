import { encodeSections } from '../rpc/topology-messages';
import type { GetTopologyDeps } from '../usecases/view/get-topology';
import { ViewCache } from '../usecases/view/view-cache';

/** Returns an empty view cache and the function that encodes views. */
export function viewCacheDeps(maxBytes = 64 << 20): Pick<GetTopologyDeps, 'viewCache' | 'encode'> {
  return {
    viewCache: new ViewCache({ maxBytes, maxUnusedMs: 60_000 }),
    encode: (view) => encodeSections(view, () => ''),
  };
}
