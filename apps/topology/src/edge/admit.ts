import type { BlockList } from 'node:net';
import { parseEdgePath } from '../domain/edge-path';
import type { ServedEndpoint } from '../store/endpoint-store';
import { matchesPassword } from '../usecases/endpoint-password';
import type { EdgeLimits } from './edge-limits';
import { noSuchPlace, Refusal, tooManyRequests } from './refusal';
import { TokenBuckets } from './token-buckets';
import { addressKey, isWithin } from './visitor-address';

/** A request as it came. */
export interface Visit {
  readonly url: string;
  readonly address: string;
  readonly authorization: string | undefined;
}

/** A request that may go on, and where to. */
export interface Admission {
  readonly endpoint: ServedEndpoint;
  /** Path and query for the target. */
  readonly rest: string;
  readonly address: string;
}

export interface AdmitDeps {
  /** Asked with every request, so that what was deleted or changed holds at once. */
  readonly findEndpoint: (id: string) => Promise<ServedEndpoint | undefined>;
  readonly localNetworks: BlockList;
  readonly limits: EdgeLimits;
}

/** Lets a visit in or throws a Refusal. What the visitor may not see looks as if it were not there. */
export type Admit = (visit: Visit) => Promise<Admission>;

const challenge = { 'www-authenticate': 'Basic realm="endpoint", charset="UTF-8"' };

export function makeAdmit({ findEndpoint, localNetworks, limits }: AdmitDeps): Admit {
  const perAddress = new TokenBuckets(limits.perAddress);
  const perEndpoint = new TokenBuckets(limits.perEndpoint);
  const perWebhook = new TokenBuckets(limits.perWebhook);
  const wrongPasswords = new TokenBuckets(limits.wrongPasswords);
  return async ({ url, address, authorization }) => {
    takeOne(perAddress, addressKey(address));
    const path = parseEdgePath(url);
    const endpoint = path && (await findEndpoint(path.endpointId).catch(unavailable));
    if (!endpoint) throw noSuchPlace();
    if (endpoint.mode === 'local_network' && !isWithin(localNetworks, address)) throw noSuchPlace();
    const { passwordHash } = endpoint;
    if (endpoint.auth === 'password')
      checkPassword(
        authorization,
        passwordHash,
        wrongPasswords,
        `${endpoint.id} ${addressKey(address)}`,
      );
    // After the password, so that only those who have it can use up the share of a protected endpoint.
    takeOne(endpoint.target.kind === 'agent' ? perWebhook : perEndpoint, endpoint.id);
    return { endpoint, rest: path.rest, address };
  };
}

function takeOne(buckets: TokenBuckets, key: string): void {
  const waitMs = buckets.take(key);
  if (waitMs > 0) throw tooManyRequests(waitMs);
}

function checkPassword(
  authorization: string | undefined,
  hash: string | undefined,
  wrong: TokenBuckets,
  key: string,
): void {
  const presented = passwordIn(authorization);
  if (presented === undefined) throw new Refusal(401, 'unauthorised', challenge);
  const waitMs = wrong.wait(key);
  if (waitMs > 0) throw tooManyRequests(waitMs);
  if (hash !== undefined && matchesPassword(presented, hash)) return;
  wrong.take(key);
  throw new Refusal(401, 'unauthorised', challenge);
}

/** From `Basic`, with any user name, or `Bearer`. */
function passwordIn(authorization = ''): string | undefined {
  const [, scheme = '', value = ''] =
    /^(basic|bearer) +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  const decoded = Buffer.from(value, 'base64').toString();
  const colon = decoded.indexOf(':');
  return scheme === '' || colon < 0 ? undefined : decoded.slice(colon + 1);
}

function unavailable(cause: unknown): never {
  throw new Refusal(503, 'unavailable', { 'retry-after': '1' }, { cause });
}
