import { TopologyServiceService } from '@daycare/contracts/topology';
import { topologyAccess } from '@daycare/contracts/access';
import { AppError } from '@daycare/errors';
import {
  implementService,
  type Caller,
  type ServiceImplementation,
  type UserCaller,
} from '@daycare/rpc';
import type { makeGetTopology } from '../usecases/get-topology';
import { toResponse } from './topology-messages';

export interface TopologyUsecases {
  readonly getTopology: ReturnType<typeof makeGetTopology>;
}

/**
 * daycare.topology.v1.TopologyService: translation between messages and usecases, nothing else. What is
 * missing here is not built yet and answers UNIMPLEMENTED.
 */
export function topologyHandler({ getTopology }: TopologyUsecases): ServiceImplementation {
  return implementService(
    'daycare.topology.v1.TopologyService',
    TopologyServiceService,
    topologyAccess,
    {
      getTopology: async (request, { caller, deadline, signal }) =>
        toResponse(await getTopology({ ...request, viewer: userOf(caller), deadline, signal })),
    },
  );
}

/** The access table has kept everybody else out. */
function userOf(caller: Caller): UserCaller {
  if (caller.kind === 'user') return caller;
  throw new AppError('PERMISSION_DENIED', 'This call is not open to you');
}
