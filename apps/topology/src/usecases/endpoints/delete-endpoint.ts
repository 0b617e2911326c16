import { FieldChecks, notFound } from '@daycare/api';
import type { EndpointCall, EndpointDeps } from './endpoint-call';

export interface DeleteEndpointCall extends Omit<EndpointCall, 'signal'> {
  readonly endpointId: string;
}

/** Deletes one of the caller's endpoints and closes its connections. */
export function makeDeleteEndpoint({ endpoints, closeConnections, now }: EndpointDeps) {
  return async ({ caller, requestId, endpointId }: DeleteEndpointCall): Promise<void> => {
    new FieldChecks().requestId(requestId).id(endpointId, 'endpoint_id').done();
    const isDeleted = await endpoints.delete(caller.userId, endpointId, requestId, now());
    if (!isDeleted) throw notFound('endpoint');
    closeConnections(endpointId);
  };
}
