import type { IncomingHttpHeaders } from 'node:http';
import { subscriberOf, TokenBuckets } from '@daycare/rpc';
import { parseEdgePath, type EdgePath } from '../../domain/endpoints/edge-path';
import { isSignatureStyle } from '../../domain/endpoints/signature';
import type { ServedEndpoint } from '../../domain/endpoints/endpoint';
import { hashPassword } from '../../usecases/endpoints/endpoint-password';
import type { SecretBox } from '../../usecases/endpoints/secret-box';
import type { EdgeLimits } from '../edge-limits';
import { notFoundRefusal, Refusal, tooManyRequests } from '../refusal';
import { makeCheckPassword, passwordIn } from './check-password';
import { makeVerifyBody, type VerifyBody } from './verify-body';
import type { Visitors } from './visitors';

/** The parts of a request that are checked. */
export interface Visit {
  readonly url: string;
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

/** An admitted request and its endpoint. */
export interface Admission {
  readonly endpoint: ServedEndpoint;
  /** Path and query for the target. */
  readonly rest: string;
  readonly address: string;
  /** Whether the credentials are meant for the edge or another endpoint, so the target must not receive them. */
  readonly isAuthorizationForEdge: boolean;
  /** Present when the request is admitted only if its body is signed. */
  readonly verifyBody?: VerifyBody;
}

export interface AdmitDeps {
  /** Looked up for every request, so that a change or deletion takes effect immediately. */
  readonly findEndpoint: (id: string) => Promise<ServedEndpoint | undefined>;
  /** Reports whether any endpoint has this password. */
  readonly isPassword: (passwordHash: string) => Promise<boolean>;
  readonly secrets: SecretBox;
  readonly isLocal: Visitors['isLocal'];
  readonly limits: EdgeLimits;
}

/** Admits a visit or throws a Refusal. An endpoint that the visitor may not see looks as if it did not exist. */
export type Admit = (visit: Visit) => Promise<Admission>;

export function makeAdmit(deps: AdmitDeps): Admit {
  const { limits } = deps;
  const perAddress = new TokenBuckets(limits.perAddress);
  const perEndpoint = new TokenBuckets(limits.perEndpoint);
  const perWebhook = new TokenBuckets(limits.perWebhook);
  const checkPassword = makeCheckPassword(limits.wrongPasswords);
  const verifyBody = makeVerifyBody(deps.secrets);
  return async (visit) => {
    const { address, headers } = visit;
    takeOne(perAddress, subscriberOf(address));
    const { endpoint, path } = await find(deps, visit);
    const takeRate = (): void =>
      takeOne(endpoint.target.kind === 'agent' ? perWebhook : perEndpoint, endpoint.id);
    const admission = { endpoint, rest: path.rest, address };
    if (isSignatureStyle(endpoint.auth)) {
      const verify = verifyBody(endpoint, endpoint.auth, headers, takeRate);
      return { ...admission, isAuthorizationForEdge: true, verifyBody: verify };
    }
    if (endpoint.auth === 'password') checkPassword(endpoint, path, visit);
    // After the password check, so that visitors without the password cannot use up the endpoint's rate limit.
    takeRate();
    return { ...admission, isAuthorizationForEdge: await isForEdge(deps, endpoint, headers) };
  };
}

async function find(
  { findEndpoint, isLocal }: AdmitDeps,
  { url, address }: Visit,
): Promise<{ readonly endpoint: ServedEndpoint; readonly path: EdgePath }> {
  const path = parseEdgePath(url);
  const endpoint = path && (await findEndpoint(path.endpointId).catch(unavailable));
  if (!endpoint) throw notFoundRefusal();
  if (endpoint.mode === 'local_network' && !isLocal(address)) throw notFoundRefusal();
  return { endpoint, path };
}

/**
 * Reports whether the target must not receive the credentials. A browser may also send another endpoint's password,
 * because all endpoints share one origin.
 */
async function isForEdge(
  { isPassword }: AdmitDeps,
  { auth }: ServedEndpoint,
  { authorization }: IncomingHttpHeaders,
): Promise<boolean> {
  if (auth === 'password') return true;
  const presented = passwordIn(authorization);
  return presented !== undefined && (await isPassword(hashPassword(presented)).catch(unavailable));
}

function takeOne(buckets: TokenBuckets, key: string): void {
  const waitMs = buckets.take(key);
  if (waitMs > 0) throw tooManyRequests(waitMs);
}

function unavailable(cause: unknown): never {
  throw new Refusal(503, 'unavailable', { 'retry-after': '1' }, { cause });
}
