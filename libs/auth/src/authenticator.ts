import type { Metadata } from '@grpc/grpc-js';
import { AppError } from '@daycare/errors';
import type { Authenticate, Caller } from '@daycare/rpc';
import type { BasicCredentials } from './basic-credentials';
import type { Claims, UserSubject } from './claims';
import { contextKey } from './service-credential';
import type { TokenVerifier } from './token-verifier';

export interface AuthenticatorOptions {
  readonly verifier: TokenVerifier;
  /** Given to identity only: everybody else takes tokens and nothing but tokens. */
  readonly credentials?: BasicCredentials;
}

/** Finds out who calls, from the `authorization` and context metadata of a call and nothing else. */
export function makeAuthenticator({ verifier, credentials }: AuthenticatorOptions): Authenticate {
  return async ({ metadata }) => {
    const authorization = single(metadata, 'authorization');
    const context = single(metadata, contextKey);
    if (authorization === undefined) {
      if (context !== undefined) throw refused('A context needs the token of a service');
      return { kind: 'anonymous' };
    }
    const [scheme, value = ''] = authorization.split(' ', 2);
    if (scheme === 'Basic' && credentials && context === undefined) {
      return byCredential(credentials, value);
    }
    if (scheme !== 'Bearer') throw refused('authorization must be a Bearer token');
    return byToken(verifier, await verifier.verify(value), context);
  };
}

function byCredential(credentials: BasicCredentials, value: string): Caller {
  const holder = credentials.check(value);
  if (!holder) throw refused('The credential is not valid');
  if (holder.kind === 'client') return holder;
  if (holder.kind === 'admin') return { kind: 'admin', proof: 'credential' };
  return { kind: 'service', service: holder.name, proof: 'credential' };
}

async function byToken(
  verifier: TokenVerifier,
  claims: Claims,
  context: string | undefined,
): Promise<Caller> {
  if (claims.kind !== 'service') {
    if (context !== undefined) throw refused('A context needs the token of a service');
    return claims.kind === 'admin' ? { kind: 'admin', proof: 'token' } : asUser(claims);
  }
  const { service } = claims;
  // The token travels to every service that is called; only its key proves who sends it.
  if (context === undefined) throw refused('The token of a service needs a context');
  const subject = await verifier.verifyContext(context, claims);
  return subject
    ? { ...asUser(subject), via: service }
    : { kind: 'service', service, proof: 'token' };
}

function asUser(subject: UserSubject): Extract<Caller, { kind: 'user' }> {
  const { userId, agentId, parentUserId, hops } = subject;
  return {
    kind: 'user',
    userId,
    ...(agentId !== undefined && { agentId }),
    ...(parentUserId !== undefined && { parentUserId }),
    ...(hops !== undefined && { hops }),
  };
}

/** Metadata may repeat a key; two identities in one call are none. */
function single(metadata: Metadata, key: string): string | undefined {
  const values = metadata.get(key);
  if (values.length > 1) throw refused(`${key} is given twice`);
  return values[0]?.toString();
}

function refused(text: string): AppError {
  return new AppError('UNAUTHENTICATED', text);
}
