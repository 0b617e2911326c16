import { identityAccess } from '@daycare/contracts/access';
import {
  IdentityServiceService,
  type TokenPair,
  type User as UserMessage,
} from '@daycare/contracts/identity';
import { AppError, notFound } from '@daycare/errors';
import { implementService, type Caller, type ServiceImplementation } from '@daycare/rpc';
import type { Reader, User } from '../domain/user';
import type { IdentityUsecases } from '../usecases';
import type { TokenRequester } from '../usecases/issue-token';
import type { IssuedTokens } from '../usecases/token-mint';

/** daycare.identity.v1.IdentityService: translation between messages and usecases, nothing else. */
export function identityHandler(usecases: IdentityUsecases): ServiceImplementation {
  return implementService(
    'daycare.identity.v1.IdentityService',
    IdentityServiceService,
    identityAccess,
    {
      createUser: async (request, { caller }) => ({
        user: toMessage(await usecases.createUser({ ...request, createdBy: credentialOf(caller) })),
      }),
      getUser: async ({ userId }, { caller }) => ({
        user: toMessage(await usecases.getUser(readerOf(caller), userId)),
      }),
      batchGetUsers: async ({ userIds }) => ({
        users: (await usecases.batchGetUsers(userIds)).map(toMessage),
      }),
      resolveNametag: async ({ nametag }) => ({
        user: toMessage(await usecases.resolveNametag(nametag)),
      }),
      resolveConnectorKey: async (request, { caller }) => {
        refuseForeignConnector(caller, request.connector);
        const createdBy = credentialOf(caller);
        const { user, created } = await usecases.resolveConnectorKey({ ...request, createdBy });
        return { user: toMessage(user), created };
      },
      createSubuser: async (request, { caller }) => ({
        subuser: toMessage(await usecases.createSubuser({ ...request, ownerId: userIdOf(caller) })),
      }),
      listSubusers: async (request, { caller }) => {
        const page = await usecases.listSubusers({ ...request, ownerId: userIdOf(caller) });
        return { subusers: page.subusers.map(toMessage), nextPageToken: page.nextPageToken };
      },
      renameSubuser: async (request, { caller }) => ({
        subuser: toMessage(await usecases.renameSubuser({ ...request, ownerId: userIdOf(caller) })),
      }),
      deleteSubuser: async ({ requestId, subuserId }, { caller }) => {
        await usecases.deleteSubuser(userIdOf(caller), { requestId, userId: subuserId });
        return {};
      },
      deleteUser: async (request, { caller }) => {
        const isOwn = caller.kind === 'admin' || userIdOf(caller) === request.userId;
        if (!isOwn) throw notFound('User');
        await usecases.deleteUser(request);
        return {};
      },
      issueToken: async (request, { caller }) => ({
        tokens: toTokenPair(
          await usecases.issueToken({ ...request, requester: requesterOf(caller, request.userId) }),
        ),
      }),
      refreshToken: async ({ refreshToken }) => ({
        tokens: toTokenPair(await usecases.refreshToken(refreshToken)),
      }),
      revokeToken: async ({ token }) => {
        await usecases.revokeToken(token);
        return {};
      },
      getJwks: async (_request, { caller }) => {
        const revokedComplete = caller.kind === 'service' || caller.kind === 'admin';
        const revoked = revokedComplete ? await usecases.listRevoked() : [];
        return {
          jwksJson: JSON.stringify(usecases.publicKeys()),
          revoked: revoked.map(({ id: tokenId, expiresAt }) => ({ tokenId, expiresAt })),
          revokedComplete,
        };
      },
    },
  );
}

function userIdOf(caller: Caller): string {
  if (caller.kind === 'user') return caller.userId;
  throw notOpen();
}

function readerOf(caller: Caller): Reader {
  return caller.kind === 'user' ? { kind: 'user', userId: caller.userId } : { kind: 'trusted' };
}

function credentialOf(caller: Caller): string {
  if (caller.kind === 'client') return `client:${caller.name}`;
  if (caller.kind === 'admin') return 'admin';
  throw notOpen();
}

/** A token must not beget another that outlives it: only the credential itself opens a session. */
function requesterOf(caller: Caller, userId: string): TokenRequester {
  const isToken =
    (caller.kind === 'admin' || caller.kind === 'service') && caller.proof === 'token';
  if (isToken && userId === '') throw notOpen();
  if (caller.kind === 'admin' || caller.kind === 'client' || caller.kind === 'service')
    return caller;
  throw notOpen();
}

/** A connector's credential has the connector's name and reaches its own people only. */
function refuseForeignConnector(caller: Caller, connector: string): void {
  if (caller.kind === 'client' && caller.name !== connector) throw notOpen();
}

/** The access table has kept such callers out already. */
function notOpen(): AppError {
  return new AppError('PERMISSION_DENIED', 'This call is not open to you');
}

function toMessage({ id, nametag, name, parentUserId, description, createdAt }: User): UserMessage {
  return { id, nametag, name, parentUserId: parentUserId ?? '', description, createdAt };
}

function toTokenPair({ accessToken, accessExpiresAt, refresh }: IssuedTokens): TokenPair {
  return {
    accessToken,
    accessExpiresAt,
    refreshToken: refresh?.token ?? '',
    refreshExpiresAt: refresh?.expiresAt,
  };
}
