import type { TopologyServiceService } from '@daycare/contracts/topology';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { EndpointWithCredential } from '../usecases/endpoints/create-endpoint';
import type { makeEndpointUsecases } from '../usecases/endpoints/endpoint-usecases';
import { readEndpointRequest, readChange, toEndpoint } from './endpoint-messages';

export interface EndpointUsecases extends ReturnType<typeof makeEndpointUsecases> {
  /** The URL at which the edge serves an endpoint; empty without an edge. */
  readonly urlOf: (endpointId: string) => string;
}

/** The endpoint methods of TopologyService. */
export function endpointHandlers(
  usecases: EndpointUsecases,
): Pick<
  Handlers<typeof TopologyServiceService>,
  'createEndpoint' | 'updateEndpoint' | 'deleteEndpoint' | 'listEndpoints'
> {
  const { urlOf } = usecases;
  const toResponse = ({ endpoint, password, secret }: EndpointWithCredential) => ({
    endpoint: toEndpoint(endpoint, urlOf),
    password,
    secret,
  });
  return {
    async createEndpoint(request, { caller, signal }) {
      const { requestId } = request;
      const call = {
        caller: requireUser(caller),
        requestId,
        signal,
        request: readEndpointRequest(request),
      };
      return toResponse(await usecases.createEndpoint(call));
    },
    async updateEndpoint(request, { caller, signal }) {
      const { requestId, endpointId } = request;
      const call = { caller: requireUser(caller), requestId, endpointId, signal };
      return toResponse(await usecases.updateEndpoint({ ...call, change: readChange(request) }));
    },
    async deleteEndpoint({ requestId, endpointId }, { caller }) {
      await usecases.deleteEndpoint({ caller: requireUser(caller), requestId, endpointId });
      return {};
    },
    async listEndpoints({ pageSize, pageToken }, { caller }) {
      const { userId } = requireUser(caller);
      const page = await usecases.listEndpoints({ userId, pageSize, pageToken });
      const endpoints = page.endpoints.map((endpoint) => toEndpoint(endpoint, urlOf));
      return { endpoints, nextPageToken: page.nextPageToken };
    },
  };
}
