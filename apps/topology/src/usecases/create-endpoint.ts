import { AppError, FieldChecks } from '@daycare/errors';
import { mostEndpoints, readWish, type AskedEndpoint, type Endpoint } from '../domain/endpoint';
import {
  refuseReused,
  refuseUnservable,
  type EndpointCall,
  type EndpointDeps,
} from './endpoint-call';
import { drawPassword, hashPassword } from './endpoint-password';

export interface CreateEndpointCall extends EndpointCall {
  readonly asked: AskedEndpoint;
}

export interface MadeEndpoint {
  readonly endpoint: Endpoint;
  /** Empty unless it was drawn by this very call: only its hash is kept. */
  readonly password: string;
}

/** Makes something of the caller's reachable, once per request id. */
export function makeCreateEndpoint(deps: EndpointDeps) {
  return async (call: CreateEndpointCall): Promise<MadeEndpoint> => {
    const { caller, requestId, signal } = call;
    const checks = new FieldChecks().requestId(requestId);
    const wish = readWish(call.asked, deps.rules, checks);
    checks.done();
    if (!wish) throw new AppError('INTERNAL', 'a wish that is not one was let through');
    refuseUnservable(deps.rules, wish.target);
    const isRetry = await deps.endpoints.wasMadeBy(caller.userId, requestId);
    if (wish.target.kind === 'agent' && !isRetry)
      await deps.checkOwnAgent(caller, wish.target.agentId, signal);
    const password = wish.auth === 'password' ? drawPassword() : '';
    const request = { id: requestId, fingerprint: JSON.stringify(wish) };
    const made = await deps.endpoints.insert(
      { ...wish, id: deps.newId(), userId: caller.userId, createdAt: deps.now() },
      password === '' ? undefined : hashPassword(password),
      request,
    );
    if (made.outcome === 'too-many') throw tooMany();
    if (made.outcome === 'inserted') return { endpoint: made.endpoint, password };
    refuseReused(made.request, request);
    return { endpoint: made.endpoint, password: '' };
  };
}

function tooMany(): AppError {
  const quota = { subject: 'user', description: `at most ${mostEndpoints} endpoints` };
  return new AppError('QUOTA_EXCEEDED', `A user has at most ${mostEndpoints} endpoints`, { quota });
}
