import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import type { MadeEndpoint } from '../usecases/create-endpoint';
import type { makeEndpointUsecases } from '../usecases/endpoints';
import { readAsked, readChange, toEndpoint } from './endpoint-messages';
import { userOf } from './user-of';

export interface EndpointUsecases extends ReturnType<typeof makeEndpointUsecases> {
  /** Where the edge serves an endpoint; empty when there is none. */
  readonly urlOf: (endpointId: string) => string;
}

/** The part of TopologyService that is about endpoints. */
export function endpointHandlers(
  usecases: EndpointUsecases,
): Pick<
  Handlers<typeof TopologyServiceService>,
  'createEndpoint' | 'updateEndpoint' | 'deleteEndpoint' | 'listEndpoints'
> {
  const { urlOf } = usecases;
  const toResponse = ({ endpoint, password }: MadeEndpoint) => ({
    endpoint: toEndpoint(endpoint, urlOf),
    password,
  });
  return {
    async createEndpoint(request, { caller, signal }) {
      const { requestId } = request;
      const call = { caller: userOf(caller), requestId, signal, asked: readAsked(request) };
      return toResponse(await usecases.createEndpoint(call));
    },
    async updateEndpoint(request, { caller, signal }) {
      const { requestId, endpointId } = request;
      const call = { caller: userOf(caller), requestId, endpointId, signal };
      return toResponse(await usecases.updateEndpoint({ ...call, change: readChange(request) }));
    },
    async deleteEndpoint({ requestId, endpointId }, { caller }) {
      await usecases.deleteEndpoint({ caller: userOf(caller), requestId, endpointId });
      return {};
    },
    async listEndpoints({ pageSize, pageToken }, { caller }) {
      const { userId } = userOf(caller);
      const page = await usecases.listEndpoints({ userId, pageSize, pageToken });
      const endpoints = page.endpoints.map((endpoint) => toEndpoint(endpoint, urlOf));
      return { endpoints, nextPageToken: page.nextPageToken };
    },
  };
}
