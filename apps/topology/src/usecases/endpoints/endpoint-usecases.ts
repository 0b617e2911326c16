import { makeCreateEndpoint } from './create-endpoint';
import { makeDeleteEndpoint } from './delete-endpoint';
import type { EndpointDeps } from './endpoint-call';
import { makeListEndpoints } from './list-endpoints';
import { makeUpdateEndpoint } from './update-endpoint';

/** The usecases behind the endpoint RPCs. */
export function makeEndpointUsecases(deps: EndpointDeps) {
  return {
    createEndpoint: makeCreateEndpoint(deps),
    updateEndpoint: makeUpdateEndpoint(deps),
    deleteEndpoint: makeDeleteEndpoint(deps),
    listEndpoints: makeListEndpoints(deps),
  };
}
