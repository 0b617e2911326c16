import { createId } from '@daycare/api/create-id';
import { isTokenScope, tokenScopes, type TokenScope } from '@daycare/contracts/scopes';
import { AppError, FieldChecks, notFound, requestIdReused } from '@daycare/api';
import type { SessionHolder } from '../../domain/session';
import {
  grantableScopes,
  maxTokensPerOwner,
  mayReplaceSecret,
  ownerKeyOf,
  tokenLifetimes,
  type PersonalToken,
} from '../../domain/sign-in/personal-token';
import { nameLimits } from '../../domain/user';
import type { PersonalTokenStore } from '../../store/sign-in/personal-token-store';
import type { SessionStore } from '../../store/session-store';
import type { UserStore } from '../../store/user-store';
import type { EndSessionsDeps } from '../tokens/end-sessions';
import { assertMayOpen, holderOf } from '../tokens/open-user-session';
import { hashOf } from '../tokens/refresh-secret';
import { newPersonalSecret } from '../tokens/personal-secret';
import { openerOf, type SignedInPerson } from './signed-in-person';

export interface CreateAccessTokenDeps extends Pick<EndSessionsDeps, 'revocations' | 'now'> {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly personalTokens: PersonalTokenStore;
}

export interface CreateAccessTokenCommand {
  readonly creator: SignedInPerson;
  readonly requestId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Empty for a token that acts as its creator. */
  readonly subuserId: string;
  /** 0 for the default. */
  readonly lifetimeMs: number;
}

export interface CreatedAccessToken {
  readonly token: PersonalToken;
  /** Returned only here, because only its hash is stored. */
  readonly secret: string;
}

/**
 * Creates a personal access token, once per request. A retry receives another secret for the same token, but fails with
 * CONFLICT if the token has been used or revoked, or if ten minutes have passed since its creation.
 */
export function makeCreateAccessToken(deps: CreateAccessTokenDeps) {
  const { personalTokens, now } = deps;
  return async (command: CreateAccessTokenCommand): Promise<CreatedAccessToken> => {
    const scopes = checkFields(command);
    const holder = await findHolder(deps, command);
    const opener = await openerOf(command.creator, deps.sessions);
    await assertMayOpen(deps, ownerKeyOf(holder));
    const id = createId();
    const { secret, text } = newPersonalSecret(id);
    const token: PersonalToken = {
      id,
      name: command.name.trim(),
      holder,
      opener,
      scopes,
      hash: hashOf(secret),
      createdAt: now(),
      expiresAt: new Date(now().getTime() + (command.lifetimeMs || tokenLifetimes.defaultMs)),
    };
    const request = { id: command.requestId, fingerprint: fingerprintOf(command) };
    const outcome = await personalTokens.insert(token, request);
    if (outcome === 'inserted') return { token, secret: text };
    if (outcome === 'request-known') return replaceSecret(deps, ownerKeyOf(holder), request);
    throw tooMany();
  };
}

/** Gives the token from an earlier attempt a new secret, in case the caller never received the first one. */
async function replaceSecret(
  { personalTokens, now }: CreateAccessTokenDeps,
  ownerKey: string,
  request: { readonly id: string; readonly fingerprint: string },
): Promise<CreatedAccessToken> {
  const earlier = await personalTokens.findByRequest(ownerKey, request.id);
  if (earlier?.request.fingerprint !== request.fingerprint) throw requestIdReused();
  const { token, isRevoked } = earlier;
  const { secret, text } = newPersonalSecret(token.id);
  const hash = hashOf(secret);
  const isReplaced =
    !isRevoked && mayReplaceSecret(token, now()) && (await personalTokens.replaceHash(token, hash));
  if (isReplaced) return { token: { ...token, hash }, secret: text };
  throw new AppError(
    'CONFLICT',
    'This request already created a token, whose secret cannot be shown again; use a new request id',
  );
}

async function findHolder(
  { users }: CreateAccessTokenDeps,
  { creator, subuserId }: CreateAccessTokenCommand,
): Promise<SessionHolder> {
  if (creator.kind === 'admin') return { kind: 'admin' };
  const user =
    subuserId === ''
      ? await users.findById(creator.userId)
      : await users.findSubuser(creator.userId, subuserId);
  if (!user) throw notFound(subuserId === '' ? 'user' : 'subuser');
  return holderOf(user);
}

function checkFields(command: CreateAccessTokenCommand): TokenScope[] {
  const { creator, requestId, name, scopes, subuserId, lifetimeMs } = command;
  const isBound = subuserId !== '';
  const grantable = grantableScopes(creator.kind, isBound);
  const { minMs, maxMs } = tokenLifetimes;
  const checks = new FieldChecks()
    .requestId(requestId)
    .line(name, 'name', nameLimits)
    .count(scopes.length, 'scopes', { min: 1, max: tokenScopes.length })
    .require(
      lifetimeMs === 0 || (lifetimeMs >= minMs && lifetimeMs <= maxMs),
      'lifetime_ms',
      `must be ${minMs} to ${maxMs}, got ${lifetimeMs}`,
    );
  if (isBound) {
    checks.id(subuserId, 'subuser_id');
    checks.require(
      creator.kind === 'person',
      'subuser_id',
      'must be empty: operators have no subusers',
    );
  }
  const validScopes = scopes.filter(isTokenScope);
  const possible = grantable.map((scope) => `"${scope}"`).join(', ');
  checks.require(
    validScopes.length === scopes.length && validScopes.every((scope) => grantable.includes(scope)),
    'scopes',
    `must be among ${possible}${isBound ? ' for a token that acts as a subuser' : ''}`,
  );
  checks.done();
  return [...new Set(validScopes)];
}

function fingerprintOf({ name, scopes, subuserId, lifetimeMs }: CreateAccessTokenCommand): string {
  return JSON.stringify([name, scopes, subuserId, lifetimeMs]);
}

function tooMany(): AppError {
  const description = `at most ${maxTokensPerOwner} personal access tokens`;
  const message = `You can have ${description}; revoke one first`;
  return new AppError('QUOTA_EXCEEDED', message, { quota: { subject: 'caller', description } });
}
