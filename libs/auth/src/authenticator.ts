import { AppError } from '@daycare/api';
import type { Authenticate, CallHeaders, Caller, UserCaller } from '@daycare/rpc';
import type { BasicCredentials } from './basic-credentials';
import type { Claims, UserSubject } from './claims';
import { contextKey } from './service-credential';
import type { ContextSubject, ServiceClaims, TokenVerifier } from './token-verifier';

export interface AuthenticatorOptions {
  readonly verifier: TokenVerifier;
  /** Only set by identity: every other service accepts only tokens. */
  readonly credentials?: BasicCredentials;
}

/**
 * Identifies the caller solely by the call's `authorization` and context metadata. A caller whose credentials were
 * verified before is returned synchronously, without a promise.
 */
export function makeAuthenticator({ verifier, credentials }: AuthenticatorOptions): Authenticate {
  const callers = new WeakMap<Claims | UserSubject, Caller>();
  const identify = (claims: Claims, subject: ContextSubject | undefined): Caller => {
    const proof = subject === undefined || subject === 'service' ? claims : subject;
    const caller = callers.get(proof) ?? toCaller(claims, subject);
    callers.set(proof, caller);
    return caller;
  };
  const verify = async (
    token: string,
    context: string | undefined,
    method: string,
  ): Promise<Caller> => {
    const claims = await verifier.verify(token);
    const signed = signedContext(claims, context);
    return identify(
      claims,
      signed && (await verifier.verifyContext(signed.context, signed.signer, method)),
    );
  };
  return ({ metadata }, method) => {
    const authorization = singleValue(metadata, 'authorization');
    const context = singleValue(metadata, contextKey);
    if (authorization === undefined) {
      if (context !== undefined)
        throw unauthenticated(
          'The metadata "daycare-context" may be sent only with a service token',
        );
      return anonymous;
    }
    const [scheme, value = ''] = authorization.split(' ', 2);
    if (scheme === 'Basic' && credentials && context === undefined) {
      return fromCredential(credentials, value);
    }
    if (scheme !== 'Bearer') throw unauthenticated('The authorization must be a Bearer token');
    const claims = verifier.verifyKnown(value);
    if (!claims) return verify(value, context, method);
    const signed = signedContext(claims, context);
    if (!signed) return identify(claims, undefined);
    const subject = verifier.verifyKnownContext(signed.context, signed.signer, method);
    return subject ? identify(claims, subject) : verify(value, context, method);
  };
}

const anonymous: Caller = { kind: 'anonymous' };

function fromCredential(credentials: BasicCredentials, value: string): Caller {
  const secret = credentials.check(value);
  if (!secret) throw unauthenticated('The credential is invalid');
  const { holder, credentialId } = secret;
  if (holder.kind === 'client') return { ...holder, proof: 'credential', credentialId };
  if (holder.kind === 'admin') return { kind: 'admin', proof: 'credential', credentialId };
  return { kind: 'service', service: holder.name, proof: 'credential', credentialId };
}

interface SignedContext {
  readonly context: string;
  /** The service that must have signed the context. */
  readonly signer: ServiceClaims;
}

/** Returns the context that must accompany a service token; undefined for any other token. */
function signedContext(claims: Claims, context: string | undefined): SignedContext | undefined {
  if (claims.kind !== 'service') {
    if (context !== undefined)
      throw unauthenticated('The metadata "daycare-context" may be sent only with a service token');
    return undefined;
  }
  // The token alone does not prove who the sender is, because every service that the sender calls sees the token. A
  // context is signed with a key that only the sender has.
  if (context === undefined)
    throw unauthenticated('A service token must be sent with the metadata "daycare-context"');
  return { context, signer: claims };
}

function toCaller(claims: Claims, subject: ContextSubject | undefined): Caller {
  switch (claims.kind) {
    case 'admin':
      return {
        kind: 'admin',
        proof: 'token',
        credentialId: claims.credentialId,
        ...sessionOf(claims),
      };
    case 'client': {
      const { name, credentialId } = claims;
      return { kind: 'client', name, proof: 'token', credentialId };
    }
    case 'user':
      return { ...toUserCaller(claims), ...sessionOf(claims) };
    case 'service': {
      const { service, credentialId } = claims;
      return subject === undefined || subject === 'service'
        ? { kind: 'service', service, proof: 'token', credentialId }
        : { ...toUserCaller(subject), via: service };
    }
  }
}

function sessionOf({ sessionId, scopes }: Extract<Claims, { sessionId: string }>) {
  return { sessionId, ...(scopes && { scopes }) };
}

function toUserCaller(subject: UserSubject): UserCaller {
  const { userId, agentId, parentUserId, hops, trust, carriesPrivate } = subject;
  return {
    kind: 'user',
    userId,
    ...(agentId !== undefined && { agentId }),
    ...(parentUserId !== undefined && { parentUserId }),
    ...(hops !== undefined && { hops }),
    ...(trust !== undefined && { trust }),
    ...(carriesPrivate && { carriesPrivate }),
  };
}

/** Returns the value of a key. Metadata may repeat a key, but a call that presents two identities is rejected. */
function singleValue(metadata: CallHeaders, key: string): string | undefined {
  const values = metadata.get(key);
  if (values.length > 1) throw unauthenticated(`${key} is given more than once`);
  return values[0]?.toString();
}

function unauthenticated(message: string): AppError {
  return new AppError('UNAUTHENTICATED', message);
}
