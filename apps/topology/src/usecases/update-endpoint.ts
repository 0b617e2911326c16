import { AppError, FieldChecks, notFound } from '@daycare/errors';
import { checkChange, planChange, type Endpoint, type EndpointChange } from '../domain/endpoint';
import type { DoneRequest } from '../store/endpoint-store';
import type { MadeEndpoint } from './create-endpoint';
import {
  refuseReused,
  refuseUnservable,
  type EndpointCall,
  type EndpointDeps,
} from './endpoint-call';
import { drawPassword, hashPassword } from './endpoint-password';

export interface UpdateEndpointCall extends EndpointCall {
  readonly endpointId: string;
  readonly change: EndpointChange;
}

const mostTries = 5;

/** Changes an endpoint of the caller's under the same URL, once per request id, and ends its connections. */
export function makeUpdateEndpoint(deps: EndpointDeps) {
  return async (call: UpdateEndpointCall): Promise<MadeEndpoint> => {
    const { requestId, endpointId, change } = call;
    const checks = new FieldChecks().requestId(requestId).id(endpointId, 'endpoint_id');
    checkChange(change, deps.rules, checks);
    checks.done();
    refuseUnservable(deps.rules, change.target);
    const request = { id: requestId, fingerprint: JSON.stringify(change) };
    for (let tries = 0; tries < mostTries; tries++) {
      const done = await tryChange(deps, call, request);
      if (done) return done;
    }
    throw new AppError('CONFLICT', 'The endpoint is being changed by others; try again');
  };
}

/** Undefined when somebody else changed it meanwhile. */
async function tryChange(
  deps: EndpointDeps,
  { caller, endpointId, change, signal }: UpdateEndpointCall,
  request: DoneRequest,
): Promise<MadeEndpoint | undefined> {
  const found = await deps.endpoints.find(caller.userId, endpointId);
  if (!found) throw notFound('endpoint');
  const earlier = found.changedBy.find(({ id }) => id === request.id);
  if (earlier) return again(deps, found.endpoint, earlier, request);
  const { wish, drawsPassword } = planChange(found.endpoint, change);
  if (change.target?.kind === 'agent')
    await deps.checkOwnAgent(caller, change.target.agentId, signal);
  const password = drawsPassword ? drawPassword() : '';
  const passwordHash = drawsPassword ? hashPassword(password) : undefined;
  const draft = { ...wish, passwordHash };
  const endpoint = await deps.endpoints.change(found.endpoint, draft, request, deps.now());
  if (!endpoint) return undefined;
  deps.cutConnections(endpointId);
  return { endpoint, password };
}

/** The first attempt may have ended before it told the edge. */
function again(
  { cutConnections }: EndpointDeps,
  endpoint: Endpoint,
  earlier: DoneRequest,
  request: DoneRequest,
): MadeEndpoint {
  refuseReused(earlier, request);
  cutConnections(endpoint.id);
  return { endpoint, password: '' };
}
