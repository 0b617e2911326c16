import { userInfo } from 'node:os';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import type { RpcClient } from '@daycare/rpc';
import { CallFailure } from '../failure/call-failure';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { connect } from './connect';
import type { Context, SignedInUser, Tokens } from './context';
import type { FoundStack } from './local-stack';
import type { RequestIds } from './request-ids';
import { claimsOf, expiryOf } from './token-claims';
import { toTokens } from './token-keeper';

type Identity = RpcClient<typeof IdentityServiceService>;

/** Calls identity with a value of `authorization` of one's own. */
export interface IdentityAccess {
  readonly context: string;
  readonly address: string;
  readonly authorization: string;
  readonly timeoutMs: number;
  readonly tls?: Context['tls'];
}

export async function withIdentity<T>(
  { authorization, tls, ...peer }: IdentityAccess,
  use: (identity: Identity) => Promise<T>,
): Promise<T> {
  const authorise = async (): Promise<string> => authorization;
  const identity = connect(IdentityServiceService, {
    service: 'identity',
    ...peer,
    tls,
    authorise,
  });
  try {
    return await use(identity);
  } finally {
    identity.close();
  }
}

/** How the admin of a stack on this machine calls it. Its credential goes nowhere else. */
export function adminAccess({
  dataDir,
  addresses,
  readAdminAuthorization,
}: FoundStack): Pick<IdentityAccess, 'address' | 'authorization'> {
  const authorization = readAdminAuthorization();
  if (authorization && addresses.identity) return { address: addresses.identity, authorization };
  throw new Failure(
    exitCodes.refused,
    `The admin's credential of the stack in ${dataDir} cannot be read.`,
    'Do it as the person who started the stack, or sign in with a token.',
  );
}

export interface NewUser {
  readonly name: string;
  readonly requestIds: RequestIds;
}

/** Makes a user on the stack of this machine and signs in as it. */
export function signUp(
  { dataDir, addresses }: FoundStack,
  access: IdentityAccess,
  { name, requestIds }: NewUser,
): Promise<Context> {
  return withIdentity(access, async (identity) => {
    const { user } = await identity.createUser({ requestId: requestIds.next(), name });
    const tokens = user && (await issueTokens(identity, user.id));
    if (!user || !tokens) throw new Error('identity answered without a user or a token');
    return { stack: dataDir, addresses, user: toSignedIn(user), tokens };
  });
}

/** Signs in again as a user of the stack of this machine; undefined when it is gone. */
export function signInAgain(
  { dataDir, addresses }: FoundStack,
  access: IdentityAccess,
  user: SignedInUser,
): Promise<Context | undefined> {
  return withIdentity(access, async (identity) => {
    const tokens = await issueTokens(identity, user.id);
    return tokens && { stack: dataDir, addresses, user, tokens };
  });
}

/** Undefined when there is no such user any more. */
async function issueTokens(identity: Identity, userId: string): Promise<Tokens | undefined> {
  try {
    const { tokens } = await identity.issueToken({ userId, agentId: '', publicKeyJwk: '' });
    return tokens && toTokens(tokens);
  } catch (error) {
    if (error instanceof CallFailure && error.error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** A context with tokens from elsewhere, once identity has taken them. */
export async function signInWith(
  context: Context,
  access: Omit<IdentityAccess, 'authorization'>,
  { token, refresh }: { token: string; refresh: string | undefined },
): Promise<Context> {
  const { sub, exp } = claimsOf(token);
  if (!sub) {
    const hint = 'Give the access token that IssueToken answered with.';
    throw new Failure(exitCodes.usage, 'The token is not an access token of Daycare.', hint);
  }
  const user = await withIdentity({ ...access, authorization: `Bearer ${token}` }, (identity) =>
    identity.getUser({ userId: sub }),
  );
  const accessExpiresAt = exp ? { accessExpiresAt: new Date(expiryOf(token)).toISOString() } : {};
  const tokens = { access: token, ...accessExpiresAt, ...(refresh ? { refresh } : {}) };
  return { ...context, tokens, ...(user.user && { user: toSignedIn(user.user) }) };
}

/** What a person is called who did not say. */
export function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'me';
  }
}

function toSignedIn({ id, nametag, name }: User): SignedInUser {
  return { id, nametag, name };
}
