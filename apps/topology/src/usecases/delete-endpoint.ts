import { FieldChecks, notFound } from '@daycare/errors';
import type { EndpointCall, EndpointDeps } from './endpoint-call';

export interface DeleteEndpointCall extends Omit<EndpointCall, 'signal'> {
  readonly endpointId: string;
}

/** Takes an endpoint of the caller's off the edge and ends its connections. */
export function makeDeleteEndpoint({ endpoints, cutConnections, now }: EndpointDeps) {
  return async ({ caller, requestId, endpointId }: DeleteEndpointCall): Promise<void> => {
    new FieldChecks().requestId(requestId).id(endpointId, 'endpoint_id').done();
    const isGone = await endpoints.delete(caller.userId, endpointId, requestId, now());
    if (!isGone) throw notFound('endpoint');
    cutConnections(endpointId);
  };
}
