import { subscriberOf, TokenBuckets, type RateLimit } from '@daycare/rpc';
import { basicChallenge } from '../../domain/endpoints/challenges';
import type { EdgePath } from '../../domain/endpoints/edge-path';
import type { ServedEndpoint } from '../../domain/endpoints/endpoint';
import { matchesPassword } from '../../usecases/endpoints/endpoint-password';
import { Refusal, tooManyRequests } from '../refusal';

export interface PasswordVisit {
  readonly headers: { readonly authorization?: string | undefined };
  readonly address: string;
}

/** Makes a check that throws a Refusal unless the visitor knows the endpoint's password. */
export function makeCheckPassword(limit: RateLimit) {
  const wrongTries = new TokenBuckets(limit);
  return (
    { id, passwordHash }: ServedEndpoint,
    { withSlash }: EdgePath,
    { headers, address }: PasswordVisit,
  ): void => {
    const presented = passwordIn(headers.authorization);
    if (presented === undefined) throw challenge(id, withSlash);
    const key = `${id} ${subscriberOf(address)}`;
    const waitMs = wrongTries.waitMs(key);
    if (waitMs > 0) throw tooManyRequests(waitMs);
    if (passwordHash !== undefined && matchesPassword(presented, passwordHash)) return;
    wrongTries.take(key);
    throw challenge(id, withSlash);
  };
}

/** Returns the password from `Basic` credentials, with any user name, or from a `Bearer` token. */
export function passwordIn(authorization = ''): string | undefined {
  const [, scheme = '', value = ''] =
    /^(basic|bearer) +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  const decoded = Buffer.from(value, 'base64').toString();
  const colon = decoded.indexOf(':');
  return scheme === '' || colon < 0 ? undefined : decoded.slice(colon + 1);
}

/**
 * A browser sends credentials to every path in the same folder as the challenged one (RFC 7617, 2.2). All
 * other endpoints are in the same folder as `/e/<id>`, so the visitor is first redirected to `/e/<id>/`.
 */
function challenge(endpointId: string, withSlash: string | undefined): Refusal {
  if (withSlash !== undefined) return new Refusal(308, 'unauthorised', { location: withSlash });
  return new Refusal(401, 'unauthorised', { 'www-authenticate': basicChallenge(endpointId) });
}
