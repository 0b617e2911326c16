import { AppError, FieldChecks } from '@daycare/api';
import {
  credentialOf,
  maxEndpoints,
  readSpec,
  type Endpoint,
  type EndpointRequest,
  type EndpointSpec,
} from '../../domain/endpoints/endpoint';
import { authorOf, ownerOf } from '../../domain/viewer';
import {
  confirmTarget,
  fingerprintOf,
  makeCredential,
  nothingShown,
  assertSameRequest,
  refuseUnservable,
  type EndpointCall,
  type EndpointDeps,
} from './endpoint-call';

export interface CreateEndpointCall extends EndpointCall {
  readonly request: EndpointRequest;
}

export interface EndpointWithCredential {
  readonly endpoint: Endpoint;
  /** Empty unless this call generated it, because only its hash is stored. */
  readonly password: string;
  /** Empty unless this call generated it. */
  readonly secret: string;
}

/** Exposes one of the caller's ports, sockets or agents, only once per request id. */
export function makeCreateEndpoint(deps: EndpointDeps) {
  return async (call: CreateEndpointCall): Promise<EndpointWithCredential> => {
    const { caller, requestId, signal } = call;
    const spec = check(call, deps);
    refuseUnservable(deps.rules, spec.target);
    const users = { userId: caller.userId, ownerUserId: ownerOf(caller) };
    const isRetry = await deps.endpoints.wasCreatedByRequest(users, requestId);
    if (spec.target.kind === 'agent' && !isRetry)
      await deps.checkOwnAgent(caller, spec.target.agentId, signal);
    const { secret = '' } = call.request;
    const id = deps.newId();
    const generatedCredential = secret === '' ? credentialOf(spec.auth) : undefined;
    const { stored, shown } = makeCredential(deps, id, { generatedCredential, secret });
    const request = { id: requestId, fingerprint: fingerprintOf(deps, { ...spec, secret }) };
    const inserted = await deps.endpoints.insert(
      { ...spec, id, ...users, ...authorOf(caller), createdAt: deps.now() },
      stored,
      request,
    );
    if (inserted.outcome === 'too-many') throw tooManyEndpoints();
    if (inserted.outcome === 'inserted') {
      await confirmTarget(deps, caller, spec.target);
      return { endpoint: inserted.endpoint, ...shown };
    }
    assertSameRequest(inserted.request, request);
    return { endpoint: inserted.endpoint, ...nothingShown };
  };
}

function check({ requestId, request }: CreateEndpointCall, { rules }: EndpointDeps): EndpointSpec {
  const checks = new FieldChecks().requestId(requestId);
  const spec = readSpec(request, rules, checks);
  checks.done();
  if (!spec)
    throw new AppError('INTERNAL', 'unreachable: an incomplete endpoint passed the checks');
  return spec;
}

function tooManyEndpoints(): AppError {
  const quota = { subject: 'owner', description: `at most ${maxEndpoints} endpoints` };
  const message = `You can have at most ${maxEndpoints} endpoints, including those of subusers; remove one first`;
  return new AppError('QUOTA_EXCEEDED', message, { quota });
}
