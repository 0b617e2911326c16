import type { JWTPayload } from 'jose';
import { isTokenScope, type TokenScope } from '@daycare/contracts/scopes';
import { isTrust } from '@daycare/api';
import type { UserCaller } from '@daycare/rpc';

/** The issuer and audience of every access token. */
export const issuer = 'daycare';

/** The `typ` of each kind of token, so that one kind is never accepted as the other. */
export const tokenTypes = { access: 'at+jwt', context: 'ctx+jwt' } as const;

/**
 * A user or a user's agent, without the session, scopes or service of the call. Hops, trust and `carriesPrivate` occur
 * only in contexts.
 */
export type UserSubject = Omit<UserCaller, 'kind' | 'via' | 'sessionId' | 'scopes'>;

/** The content of a verified access token. */
export type Claims =
  | ({ readonly kind: 'user' } & UserSubject & SessionFacts & TokenFacts)
  | ({ readonly kind: 'admin' } & SessionFacts & TokenFacts)
  | ({ readonly kind: 'client'; readonly name: string } & TokenFacts)
  | ({
      readonly kind: 'service';
      readonly service: string;
      readonly publicKey: object;
    } & TokenFacts);

interface SessionFacts {
  /** The sign-in, or the personal access token, for which the token was issued. */
  readonly sessionId: string;
  /** The scopes of the personal access token; undefined for a sign-in. */
  readonly scopes?: readonly TokenScope[];
}

interface TokenFacts {
  readonly tokenId: string;
  /**
   * Identifies the secret with which the token, or its session, was requested; always the same for the same secret.
   */
  readonly credentialId: string;
  /** Epoch seconds, with fractions. */
  readonly issuedAt: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** Converts claims to a JWT payload. */
export function toPayload(claims: Claims): JWTPayload {
  const { tokenId: jti, credentialId: by, issuedAt: iat, expiresAt: exp, kind } = claims;
  const common = { jti, by, iat, exp, kind };
  switch (claims.kind) {
    case 'user':
      return { ...common, ...subjectPayload(claims), ...sessionPayload(claims) };
    case 'admin':
      return { ...common, sub: 'admin', ...sessionPayload(claims) };
    case 'client':
      return { ...common, sub: claims.name };
    case 'service':
      return { ...common, sub: claims.service, cnf: { jwk: claims.publicKey } };
  }
}

/** Reads the claims in the payload of a verified JWT; returns undefined if they are not ours. */
export function fromPayload(payload: JWTPayload): Claims | undefined {
  const { jti: tokenId, exp: expiresAt, iat: issuedAt, sub, sid: sessionId, kind } = payload;
  const { by: credentialId } = payload;
  if (!tokenId || !expiresAt || !issuedAt || !sub) return undefined;
  if (typeof credentialId !== 'string') return undefined;
  const facts = { tokenId, credentialId, issuedAt, expiresAt };
  if (kind === 'service') {
    const { cnf } = payload as { cnf?: { jwk?: object } };
    return cnf?.jwk ? { kind, service: sub, publicKey: cnf.jwk, ...facts } : undefined;
  }
  if (kind === 'client') return { kind, name: sub, ...facts };
  if (typeof sessionId !== 'string') return undefined;
  const session = { sessionId, ...scopesOf(payload) };
  if (kind === 'admin') return { kind, ...session, ...facts };
  return kind === 'user' ? { kind, ...session, ...subjectOf(payload, sub), ...facts } : undefined;
}

function sessionPayload({ sessionId: sid, scopes }: SessionFacts): JWTPayload {
  return { sid, ...(scopes && { scope: scopes.join(' ') }) };
}

/** A token with scopes has only the rights that they give, even if this version knows none of them. */
function scopesOf({ scope }: JWTPayload): Pick<SessionFacts, 'scopes'> {
  if (scope === undefined) return {};
  return { scopes: typeof scope === 'string' ? scope.split(' ').filter(isTokenScope) : [] };
}

/** Returns the part of a payload that identifies the user, in access tokens and contexts alike. */
export function subjectPayload(subject: UserSubject): JWTPayload {
  const { userId, agentId, parentUserId, hops, trust, carriesPrivate } = subject;
  return {
    sub: userId,
    ...(agentId !== undefined && { agent: agentId }),
    ...(parentUserId !== undefined && { parent: parentUserId }),
    ...(hops !== undefined && { hops }),
    ...(trust !== undefined && { trust }),
    ...(carriesPrivate && { private: true }),
  };
}

/** Reverses `subjectPayload`. */
export function subjectOf(payload: JWTPayload, userId: string): UserSubject {
  const { agent, parent, hops, trust, private: carriesPrivate } = payload;
  return {
    userId,
    ...(typeof agent === 'string' && { agentId: agent }),
    ...(typeof parent === 'string' && { parentUserId: parent }),
    ...(typeof hops === 'number' && { hops }),
    ...(isTrust(trust) && { trust }),
    ...(carriesPrivate === true && { carriesPrivate }),
  };
}

/** Returns the ids whose revocation affects everything this user does: the user's and, for a subuser, the owner's. */
export function userIdsOf({ userId, parentUserId }: UserSubject): string[] {
  const ids = [`user:${userId}`];
  return parentUserId === undefined ? ids : [...ids, `user:${parentUserId}`];
}
