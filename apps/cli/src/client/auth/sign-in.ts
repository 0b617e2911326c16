import { userInfo } from 'node:os';
import { isDaycareError, type Rpcs } from '@daycare/client';
import { expiryMsOf, fixedAuthority, isPersonalToken, renewTokens } from '@daycare/client/kit';
import type { User } from '@daycare/contracts/identity';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { connectServices } from '../rpc/connect';
import type { AdminAccess } from './admin-authorization';
import type { Context, SignedInUser, Tokens } from '../contexts/context';
import type { FoundStack } from '../contexts/local-stack';
import type { RequestIds } from '../rpc/request-ids';
import { claimsOf } from './token-claims';
import { toTokens } from './context-tokens';

export type Identity = Rpcs['identity'];

/** How to call identity with a given `authorization` header. */
export interface IdentityAccess {
  readonly context: string;
  readonly address: string;
  /** Undefined for calls whose request contains a credential. */
  readonly authorization: string | undefined;
  readonly timeoutMs: number;
  readonly tls?: Context['tls'];
}

export async function withIdentity<T>(
  { context, address, authorization, timeoutMs, tls }: IdentityAccess,
  use: (identity: Identity) => Promise<T>,
): Promise<T> {
  const daycare = connectServices({
    context,
    timeoutMs,
    tls,
    addressOf: () => address,
    authority: () => fixedAuthority(authorization),
  });
  try {
    return await use(daycare.rpc.identity);
  } finally {
    daycare.close();
  }
}

/** Returns admin access to a local stack. The stack's credential is never sent to any other server. */
export function adminAccess({
  dataDir,
  addresses,
  readAdminAuthorization,
}: FoundStack): AdminAccess {
  const authorization = readAdminAuthorization();
  if (authorization && addresses.identity) return { address: addresses.identity, authorization };
  throw new Failure(
    exitCodes.refused,
    `Cannot read the admin credential of the stack in ${dataDir}.`,
    'Run this as the user who started the stack, or sign in with --token.',
  );
}

export interface LocalSignIn {
  /** The name of a user to create; undefined to sign in as the person who uses this machine. */
  readonly name: string | undefined;
  readonly requestIds: RequestIds;
}

/** Returns a local stack's user for the person who uses this machine; creates that user on first use. */
export function findLocalUser(
  identity: Pick<Identity, 'resolveConnectorKey'>,
  requestId: string,
): Promise<{ user?: User | undefined }> {
  const name = loginName();
  return identity.resolveConnectorKey({ requestId, connector: 'local', key: name, name });
}

/** Returns a context without a sign-in for a stack running on this machine. */
export function contextOf({ dataDir, addresses }: FoundStack): Context {
  return { stack: dataDir, addresses };
}

/**
 * Signs in to a stack with its admin credential: as a new user or, if `name` is undefined, as the person who uses this
 * machine.
 */
export function signInLocally(
  base: Context,
  access: IdentityAccess,
  { name, requestIds }: LocalSignIn,
): Promise<Context> {
  return withIdentity(access, async (identity) => {
    const requestId = requestIds.next();
    const { user } =
      name === undefined
        ? await findLocalUser(identity, requestId)
        : await identity.createUser({ requestId, name });
    if (user) await setTimeZone(identity, user.id, requestIds.next());
    const tokens = user && (await issueTokens(identity, user.id));
    if (!user || !tokens) throw new Error('identity returned no user or no token');
    return { ...base, user: toSignedIn(user), tokens };
  });
}

/** Sets the user's time zone, in which agents show times, to this machine's time zone. */
async function setTimeZone(identity: Identity, userId: string, requestId: string): Promise<void> {
  await identity.updateUser({ requestId, userId, timeZone: machineTimeZone() });
}

/** Returns this machine's time zone. */
export function machineTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Signs in again as a user of the local stack; undefined when the user no longer exists. */
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

/** Undefined when the user no longer exists. */
async function issueTokens(identity: Identity, userId: string): Promise<Tokens | undefined> {
  try {
    const { tokens } = await identity.issueToken({ userId, agentId: '', publicKeyJwk: '' });
    return tokens && toTokens(tokens);
  } catch (error) {
    if (isDaycareError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/**
 * Returns the context with the token and the token's user, after identity has accepted the token. A personal access
 * token is exchanged for an access token, and stored as the refresh token, with which the access token is renewed.
 */
export async function signInWithToken(
  context: Context,
  access: Omit<IdentityAccess, 'authorization'>,
  { token, refresh }: { token: string; refresh: string | undefined },
): Promise<Context> {
  if (isPersonalToken(token))
    return signInWithToken(context, access, await exchange(access, token));
  const { sub, exp } = claimsOf(token);
  if (!sub) {
    const hint = 'Pass a personal access token, or an access token returned by IssueToken.';
    throw new Failure(exitCodes.usage, 'This is not a Daycare access token.', hint);
  }
  const { user } = await withIdentity({ ...access, authorization: `Bearer ${token}` }, (identity) =>
    identity.getUser({ userId: sub }),
  );
  const accessExpiresAt = exp ? { accessExpiresAt: new Date(expiryMsOf(token)).toISOString() } : {};
  const tokens = { access: token, ...accessExpiresAt, ...(refresh ? { refresh } : {}) };
  return { ...context, tokens, ...(user && { user: toSignedIn(user) }) };
}

async function exchange(access: Omit<IdentityAccess, 'authorization'>, secret: string) {
  const tokens = await withIdentity({ ...access, authorization: undefined }, (identity) =>
    renewTokens(identity, secret),
  );
  if (!tokens) throw new Error('identity returned no token');
  return { token: tokens.accessToken, refresh: secret };
}

/** Returns the person's login name on this machine, the default name of a new user; `me` if the system has none. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'me';
  }
}

function toSignedIn({ id, nametag, name }: User): SignedInUser {
  return { id, nametag, name };
}
