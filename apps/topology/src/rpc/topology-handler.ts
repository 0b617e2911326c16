import { TopologyServiceService } from '@daycare/contracts/topology';
import { topologyAccess } from '@daycare/contracts/access';
import { implementService, type ServiceImplementation } from '@daycare/rpc';
import type { makeGetTopology } from '../usecases/get-topology';
import type { makeWatchTopology } from '../usecases/watch-topology';
import { channelHandlers, type ChannelUsecases } from './channel-handlers';
import { endpointHandlers, type EndpointUsecases } from './endpoint-handlers';
import { signalHandlers, type SignalUsecases } from './signal-handlers';
import { toResponse } from './topology-messages';
import { userOf } from './user-of';

export interface TopologyUsecases extends SignalUsecases, ChannelUsecases, EndpointUsecases {
  readonly getTopology: ReturnType<typeof makeGetTopology>;
  readonly watchTopology: ReturnType<typeof makeWatchTopology>;
}

/** daycare.topology.v1.TopologyService: translation between messages and usecases, nothing else. */
export function topologyHandler(usecases: TopologyUsecases): ServiceImplementation {
  const { getTopology, watchTopology, urlOf } = usecases;
  return implementService(
    'daycare.topology.v1.TopologyService',
    TopologyServiceService,
    topologyAccess,
    {
      async getTopology(request, { caller, deadline, signal }) {
        const viewer = userOf(caller);
        return toResponse(await getTopology({ ...request, viewer, deadline, signal }), urlOf);
      },
      async *watchTopology(request, { caller, signal, recheck, flushed }) {
        const call = { ...request, viewer: userOf(caller), signal, recheck };
        for await (const page of watchTopology(call)) {
          yield toResponse(page, urlOf);
          // The next view is composed when there is room for it: it may be large.
          await flushed();
        }
      },
      ...signalHandlers(usecases),
      ...channelHandlers(usecases),
      ...endpointHandlers(usecases),
    },
  );
}
