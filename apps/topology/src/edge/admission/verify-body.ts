import type { IncomingHttpHeaders } from 'node:http';
import { realmOf } from '../../domain/endpoints/challenges';
import { readSignature, type SignatureStyle } from '../../domain/endpoints/signature';
import type { ServedEndpoint } from '../../domain/endpoints/endpoint';
import { isSignedBy, type SecretBox } from '../../usecases/endpoints/secret-box';
import { Refusal } from '../refusal';

/** Throws a Refusal unless the body, exactly as it was received, is signed with the endpoint's secret. */
export type VerifyBody = (body: Buffer) => void;

/**
 * A post without a well-formed, recent claim is refused before its body is read. `takeRate` is called only for
 * correctly signed posts, so other posts cannot use up the endpoint's rate limit. Wrong signatures do not lock
 * out the sender's address, because anyone can make a service such as GitHub post to any URL, from the same
 * addresses as the owner's deliveries.
 */
export function makeVerifyBody(secrets: SecretBox) {
  return (
    endpoint: ServedEndpoint,
    style: SignatureStyle,
    headers: IncomingHttpHeaders,
    takeRate: () => void,
  ): VerifyBody => {
    const claim = readSignature(style, headers, new Date());
    if (!claim) throw unsigned(endpoint);
    return (body) => {
      if (!isSignedBy(openSecret(secrets, endpoint), claim, body)) throw unsigned(endpoint);
      takeRate();
    };
  };
}

function openSecret(secrets: SecretBox, { id, sealedSecret = '' }: ServedEndpoint): string {
  try {
    return secrets.open(sealedSecret, id);
  } catch (cause) {
    // The secret was sealed with another key. The Refusal is logged, and its headers ask the sender to retry.
    throw new Refusal(503, 'unavailable', { 'retry-after': '60' }, { cause });
  }
}

function unsigned({ id }: ServedEndpoint): Refusal {
  const challenge = `HMAC-SHA256 realm="${realmOf(id)}"`;
  return new Refusal(401, 'unauthorised', { 'www-authenticate': challenge });
}
