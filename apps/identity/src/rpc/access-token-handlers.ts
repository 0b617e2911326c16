import type { IdentityServiceService, PersonalAccessToken } from '@daycare/contracts/identity';
import { AppError } from '@daycare/api';
import { requireUser, type Caller, type Handlers } from '@daycare/rpc';
import type { PersonalToken } from '../domain/sign-in/personal-token';
import type { SignInUsecases } from '../usecases';
import type { SignedInPerson } from '../usecases/sign-in/signed-in-person';
import { toTokenPair } from './to-token-pair';

type AccessTokenHandlers = Pick<
  Handlers<typeof IdentityServiceService>,
  'createAccessToken' | 'listAccessTokens' | 'revokeAccessToken' | 'exchangeAccessToken'
>;

/** The handlers for personal access tokens. */
export function accessTokenHandlers(signIn: SignInUsecases): AccessTokenHandlers {
  return {
    createAccessToken: async (request, { caller }) => {
      const creator = personOf(caller);
      const { token, secret } = await signIn.createAccessToken({ ...request, creator });
      return { token: toMessage(token), secret };
    },
    listAccessTokens: async (_request, { caller }) => ({
      tokens: (await signIn.listAccessTokens(ownerKeyOf(caller))).map(toMessage),
    }),
    revokeAccessToken: async ({ tokenId }, { caller }) => {
      await signIn.revokeAccessToken(ownerKeyOf(caller), tokenId);
      return {};
    },
    exchangeAccessToken: async ({ secret }) => ({
      tokens: toTokenPair(await signIn.exchangeAccessToken(secret)),
    }),
  };
}

/**
 * Returns the person or operator who calls. The access table admits only people with a session, and operators with a
 * session or secret.
 */
export function personOf(caller: Caller): SignedInPerson {
  if (caller.kind === 'user' && caller.sessionId !== undefined)
    return { kind: 'person', userId: caller.userId, sessionId: caller.sessionId };
  if (caller.kind === 'admin' && caller.credentialId !== undefined)
    return { kind: 'admin', credentialId: caller.credentialId };
  throw new AppError('PERMISSION_DENIED', 'You are not allowed to call this method');
}

function ownerKeyOf(caller: Caller): string {
  return caller.kind === 'admin' ? 'admin' : requireUser(caller).userId;
}

function toMessage(token: PersonalToken): PersonalAccessToken {
  const { id, name, scopes, holder, createdAt, expiresAt, lastUsedAt } = token;
  const isBound = holder.kind === 'user' && holder.userId !== holder.ownerId;
  const subuserId = isBound ? holder.userId : '';
  return { id, name, scopes: [...scopes], subuserId, createdAt, expiresAt, lastUsedAt };
}
