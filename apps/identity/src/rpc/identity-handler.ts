import { identityRules } from '@daycare/contracts/scopes';
import { IdentityServiceService, type User as UserMessage } from '@daycare/contracts/identity';
import { AppError, notFound } from '@daycare/api';
import {
  implementService,
  requireUser,
  type Caller,
  type ServiceImplementation,
} from '@daycare/rpc';
import type { Reader, User } from '../domain/user';
import type { IdentityUsecases } from '../usecases';
import type { TokenRequester } from '../usecases/tokens/issue-token';
import type { Revoker } from '../usecases/tokens/revoke-token';
import { accessTokenHandlers } from './access-token-handlers';
import { keyHandlers } from './key-handlers';
import { sessionHandlers } from './session-handlers';
import { signInHandlers } from './sign-in-handlers';
import { toTokenPair } from './to-token-pair';

/** daycare.identity.v1.IdentityService: translates between messages and usecases, and derives what a caller may do. */
export function identityHandler({
  users,
  tokens,
  signIn,
  status,
}: IdentityUsecases): ServiceImplementation {
  return implementService(
    'daycare.identity.v1.IdentityService',
    IdentityServiceService,
    identityRules,
    {
      createUser: async (request, { caller }) => ({
        user: toMessage(await users.createUser({ ...request, createdBy: credentialOf(caller) })),
      }),
      getUser: async ({ userId }, { caller }) => ({
        user: toMessageFor(caller, await users.getUser(readerOf(caller), userId)),
      }),
      batchGetUsers: async ({ userIds }, { caller }) => ({
        users: (await users.batchGetUsers(userIds)).map((user) => toMessageFor(caller, user)),
      }),
      resolveNametag: async ({ nametag }, { caller }) => ({
        user: toMessageFor(caller, await users.resolveNametag(nametag)),
      }),
      resolveConnectorKey: async (request, { caller }) => {
        assertOwnConnector(caller, request.connector);
        const createdBy = credentialOf(caller);
        const { user, created } = await users.resolveConnectorKey({ ...request, createdBy });
        return { user: toMessage(user), created };
      },
      createSubuser: async (request, { caller }) => ({
        subuser: toMessage(
          await users.createSubuser({ ...request, ownerId: requireUser(caller).userId }),
        ),
      }),
      listSubusers: async (request, { caller }) => {
        const page = await users.listSubusers({
          ...request,
          ownerId: requireUser(caller).userId,
        });
        return { ...page, subusers: page.subusers.map(toMessage) };
      },
      renameSubuser: async (request, { caller, traceparent }) => {
        const { userId: ownerId } = requireUser(caller);
        const subuser = await users.renameSubuser({ ...request, ownerId, traceparent });
        return { subuser: toMessage(subuser) };
      },
      deleteSubuser: async ({ requestId, subuserId: userId }, { caller, traceparent }) => {
        const { userId: ownerId } = requireUser(caller);
        await users.deleteSubuser(ownerId, { requestId, userId, traceparent });
        return {};
      },
      deleteUser: async (request, { caller, traceparent }) => {
        const isAllowed = caller.kind === 'admin' || requireUser(caller).userId === request.userId;
        if (!isAllowed) throw notFound('user');
        await users.deleteUser({ ...request, traceparent });
        return {};
      },
      updateUser: async (request, { caller }) => {
        const isAllowed = caller.kind === 'admin' || requireUser(caller).userId === request.userId;
        if (!isAllowed) throw notFound('user');
        return { user: toMessage(await users.updateUser(request)) };
      },
      issueToken: async (request, { caller }) => ({
        tokens: toTokenPair(
          await tokens.issueToken({ ...request, requester: requesterOf(caller, request.userId) }),
        ),
      }),
      refreshToken: async ({ refreshToken }) => ({
        tokens: toTokenPair(await tokens.refreshToken(refreshToken)),
      }),
      revokeToken: async ({ token }, { caller }) => {
        await tokens.revokeToken(token, revokerOf(caller));
        return {};
      },
      listUsers: async (request) => {
        const page = await users.listUsers(request);
        return { ...page, users: page.users.map(toMessage) };
      },
      ...status,
      ...accessTokenHandlers(signIn),
      ...signInHandlers(signIn),
      ...sessionHandlers(tokens),
      ...keyHandlers(tokens),
    },
  );
}

function readerOf(caller: Caller): Reader {
  return caller.kind === 'user' ? { kind: 'user', userId: caller.userId } : { kind: 'trusted' };
}

function credentialOf(caller: Caller): string {
  if (caller.kind === 'client') return `client:${caller.name}`;
  if (caller.kind === 'admin') return 'admin';
  throw notAllowed();
}

/**
 * A caller that authenticates with a token may not request a token for itself, and a client that does may not open a
 * user's session either, because the result would outlive the token it authenticated with; both require the
 * credential's secret. An operator may open a user's session even with a token.
 */
function requesterOf(caller: Caller, userId: string): TokenRequester {
  const isToken = 'proof' in caller && caller.proof === 'token';
  if (isToken && (userId === '' || caller.kind === 'client')) throw notAllowed();
  const canHaveCredential =
    caller.kind === 'admin' || caller.kind === 'client' || caller.kind === 'service';
  const { credentialId } = canHaveCredential ? caller : {};
  if (canHaveCredential && credentialId !== undefined) return { ...caller, credentialId };
  throw notAllowed();
}

function revokerOf(caller: Caller): Revoker {
  return caller.kind === 'admin' || caller.kind === 'service' ? caller : { kind: 'holder' };
}

/** A client's credential has the name of its connector, and can resolve only that connector's keys. */
function assertOwnConnector(caller: Caller, connector: string): void {
  if (caller.kind === 'client' && caller.name !== connector) throw notAllowed();
}

function notAllowed(): AppError {
  return new AppError('PERMISSION_DENIED', 'You are not allowed to call this method');
}

function toMessage({ parentUserId = '', client: _client, ...user }: User): UserMessage {
  return { ...user, parentUserId };
}

/** Only services receive the name of the client that may act for a user. */
function toMessageFor(caller: Caller, user: User): UserMessage {
  return { ...toMessage(user), client: caller.kind === 'service' ? user.client : undefined };
}
