import type { JWTPayload } from 'jose';

/** Who every token of an instance is issued by and for. */
export const issuer = 'daycare';

/** What a token is for; a token of one type is never taken for another. */
export const tokenTypes = { access: 'at+jwt', context: 'ctx+jwt' } as const;

/** A user, or an agent of one. A subuser is a user with a parent. */
export interface UserSubject {
  readonly userId: string;
  readonly agentId?: string;
  readonly parentUserId?: string;
  /** How many agents in a row have led to a call; only in contexts. */
  readonly hops?: number;
}

/** What an access token says, once it has been checked. */
export type Claims =
  | ({ readonly kind: 'user'; readonly sessionId: string } & UserSubject & TokenFacts)
  | ({ readonly kind: 'admin'; readonly sessionId: string } & TokenFacts)
  | ({
      readonly kind: 'service';
      readonly service: string;
      readonly publicKey: object;
    } & TokenFacts);

interface TokenFacts {
  readonly tokenId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** The claims as they are written into a JWT. */
export function toPayload(claims: Claims): JWTPayload {
  const common = { jti: claims.tokenId, exp: claims.expiresAt, kind: claims.kind };
  switch (claims.kind) {
    case 'user':
      return { ...common, ...subjectPayload(claims), sid: claims.sessionId };
    case 'admin':
      return { ...common, sub: 'admin', sid: claims.sessionId };
    case 'service':
      return { ...common, sub: claims.service, cnf: { jwk: claims.publicKey } };
  }
}

/** Reads the claims of a JWT whose signature holds; undefined when it is not one of ours. */
export function fromPayload(payload: JWTPayload): Claims | undefined {
  const { jti: tokenId, exp: expiresAt, sub, sid: sessionId, kind } = payload;
  if (!tokenId || !expiresAt || !sub) return undefined;
  const facts = { tokenId, expiresAt };
  if (kind === 'service') {
    const { cnf } = payload as { cnf?: { jwk?: object } };
    return cnf?.jwk ? { kind, service: sub, publicKey: cnf.jwk, ...facts } : undefined;
  }
  if (typeof sessionId !== 'string') return undefined;
  if (kind === 'admin') return { kind, sessionId, ...facts };
  return kind === 'user' ? { kind, sessionId, ...subjectOf(payload, sub), ...facts } : undefined;
}

/** A user in the claims of an access token or of a context. */
export function subjectPayload(subject: UserSubject): JWTPayload {
  const { userId, agentId, parentUserId, hops } = subject;
  return {
    sub: userId,
    ...(agentId !== undefined && { agent: agentId }),
    ...(parentUserId !== undefined && { parent: parentUserId }),
    ...(hops !== undefined && { hops }),
  };
}

export function subjectOf(payload: JWTPayload, userId: string): UserSubject {
  const { agent, parent, hops } = payload;
  return {
    userId,
    ...(typeof agent === 'string' && { agentId: agent }),
    ...(typeof parent === 'string' && { parentUserId: parent }),
    ...(typeof hops === 'number' && { hops }),
  };
}
