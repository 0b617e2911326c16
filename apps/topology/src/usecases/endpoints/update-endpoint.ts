import { AppError, FieldChecks, findRequest, notFound } from '@daycare/api';
import {
  checkChange,
  planChange,
  type Endpoint,
  type EndpointChange,
} from '../../domain/endpoints/endpoint';
import { authorOf, type Authored, type Viewer } from '../../domain/viewer';
import type { DoneRequest } from '../../store/endpoint-store';
import type { EndpointWithCredential } from './create-endpoint';
import * as endpointCall from './endpoint-call';
import type { EndpointCall, EndpointDeps } from './endpoint-call';

export interface UpdateEndpointCall extends EndpointCall {
  readonly endpointId: string;
  readonly change: EndpointChange;
}

const maxTries = 5;

/** Changes one of the caller's endpoints, only once per request id. Keeps its URL and closes its connections. */
export function makeUpdateEndpoint(deps: EndpointDeps) {
  return async (call: UpdateEndpointCall): Promise<EndpointWithCredential> => {
    const { requestId, endpointId, change } = call;
    const checks = new FieldChecks().requestId(requestId).id(endpointId, 'endpoint_id');
    checkChange(change, deps.rules, checks);
    checks.done();
    endpointCall.refuseUnservable(deps.rules, change.target);
    const request = { id: requestId, fingerprint: endpointCall.fingerprintOf(deps, change) };
    for (let tries = 0; tries < maxTries; tries++) {
      const response = await tryChange(deps, call, request);
      if (response) return response;
    }
    throw new AppError('CONFLICT', 'Too many concurrent changes to this endpoint; try again');
  };
}

/** Returns undefined when a concurrent request changed the endpoint first. */
async function tryChange(
  deps: EndpointDeps,
  { caller, endpointId, change, signal }: UpdateEndpointCall,
  request: DoneRequest,
): Promise<EndpointWithCredential | undefined> {
  const current = await deps.endpoints.find(caller.userId, endpointId);
  if (!current) throw notFound('endpoint');
  const earlier = findRequest(current.changedBy, request.id);
  if (earlier) return respondToRetry(deps, current.endpoint, earlier, request);
  const { spec, generatedCredential } = planChange(current.endpoint, change);
  if (change.target?.kind === 'agent')
    await deps.checkOwnAgent(caller, change.target.agentId, signal);
  const { secret } = change;
  const { stored, shown } = endpointCall.makeCredential(deps, endpointId, {
    generatedCredential,
    secret,
  });
  const draft = {
    ...spec,
    credential: stored,
    ...authorAfterChange(current.endpoint, change, caller),
  };
  const endpoint = await deps.endpoints.change(current.endpoint, draft, request, deps.now());
  if (!endpoint) return undefined;
  deps.closeConnections(endpointId);
  await endpointCall.confirmTarget(deps, caller, change.target);
  return { endpoint, ...shown };
}

/**
 * A foreign turn becomes the author by changing the name or the target; the user becomes the author again only
 * by choosing both in one call.
 */
function authorAfterChange(endpoint: Endpoint, change: EndpointChange, caller: Viewer): Authored {
  const isForeign = authorOf(caller).writtenBy !== undefined;
  const choosesBoth = change.name !== undefined && change.target !== undefined;
  const choosesAny = change.name !== undefined || change.target !== undefined;
  if (isForeign ? choosesAny : choosesBoth) return authorOf(caller);
  return endpoint.writtenBy ? { writtenBy: endpoint.writtenBy } : {};
}

/** Responds to a retry. Closes the connections, because the first attempt may have failed before closing them. */
function respondToRetry(
  { closeConnections }: EndpointDeps,
  endpoint: Endpoint,
  earlier: DoneRequest,
  request: DoneRequest,
): EndpointWithCredential {
  endpointCall.assertSameRequest(earlier, request);
  closeConnections(endpoint.id);
  return { endpoint, ...endpointCall.nothingShown };
}
