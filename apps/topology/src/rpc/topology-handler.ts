import { TopologyServiceService } from '@daycare/contracts/topology';
import { topologyRules } from '@daycare/contracts/scopes';
import { implementService, requireUser, type ServiceImplementation } from '@daycare/rpc';
import type { StatusReport } from '@daycare/service-kit';
import type { makeGetTopology } from '../usecases/view/get-topology';
import type { makeWatchTopology } from '../usecases/view/watch-topology';
import { channelHandlers, type ChannelUsecases } from './channel-handlers';
import { endpointHandlers, type EndpointUsecases } from './endpoint-handlers';
import { signalHandlers, type SignalUsecases } from './signal-handlers';
import { readFormat, toResponse } from './topology-messages';

export interface ViewUsecases {
  readonly getTopology: ReturnType<typeof makeGetTopology>;
  readonly watchTopology: ReturnType<typeof makeWatchTopology>;
}

export interface TopologyUsecases {
  readonly views: ViewUsecases;
  readonly signals: SignalUsecases;
  readonly channels: ChannelUsecases;
  readonly endpoints: EndpointUsecases;
  /** The operator RPCs that every service has. */
  readonly status?: StatusReport['handlers'];
}

/** Serves daycare.topology.v1.TopologyService; only translates between messages and usecases. */
export function topologyHandler({
  views,
  signals,
  channels,
  endpoints,
  status,
}: TopologyUsecases): ServiceImplementation {
  const { getTopology, watchTopology } = views;
  return implementService(
    'daycare.topology.v1.TopologyService',
    TopologyServiceService,
    topologyRules,
    {
      async getTopology({ format, ...request }, { caller, deadline, signal }) {
        const viewer = requireUser(caller);
        const call = { ...request, format: readFormat(format), viewer, deadline, signal };
        return toResponse(await getTopology(call));
      },
      async *watchTopology({ format, ...request }, { caller, signal, recheck, flushed }) {
        const viewer = requireUser(caller);
        const call = { ...request, format: readFormat(format), viewer, signal, recheck };
        for await (const page of watchTopology(call)) {
          yield toResponse(page);
          // A view may be large, so the next one is composed only once this one has been sent.
          await flushed();
        }
      },
      ...status,
      ...signalHandlers(signals),
      ...channelHandlers(channels),
      ...endpointHandlers(endpoints),
    },
  );
}
