import { TopologyServiceService } from '@daycare/contracts/topology';
import { topologyAccess } from '@daycare/contracts/access';
import { implementService, type ServiceImplementation } from '@daycare/rpc';

/** daycare.topology.v1.TopologyService: no RPC is built yet, so each answers UNIMPLEMENTED. */
export function topologyHandler(): ServiceImplementation {
  return implementService(
    'daycare.topology.v1.TopologyService',
    TopologyServiceService,
    topologyAccess,
    {},
  );
}
