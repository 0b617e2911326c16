import type { User } from '@daycare/contracts/identity';
import { addressOf } from '../../client/contexts/address-of';
import type { NamedContext } from '../../client/contexts/context';
import { findLocalStack, readHeader } from '../../client/contexts/local-stack';
import { RequestIds } from '../../client/rpc/request-ids';
import { adminAccess, withIdentity, type IdentityAccess } from '../../client/auth/sign-in';
import type { Settings } from '../../config';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { recordView } from '../../output/record';
import type { View } from '../../output/view';
import { toTime } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';

const create = defineCommand<{ adminHeader?: string }>({
  name: 'create',
  description: 'create a user (admin only); "daycare login" creates one and signs in',
  args: [['<name>', 'display name, up to 100 characters']],
  options: [
    [
      '--admin-header <file>',
      'file with the admin\'s "authorization: …" line (default: that of the local stack)',
    ],
  ],
  examples: ['user create Ada', 'user create Ada --admin-header ./admin.header --context work'],
  async run({ chosen, settings, global, timeoutMs, args: [name = ''], options }) {
    const context = await chosen();
    const { tls } = context.context;
    const access = {
      context: context.name,
      timeoutMs,
      ...(tls ? { tls } : {}),
      ...adminCredential(context, options.adminHeader, settings),
    };
    const requestId = new RequestIds(global.requestId).next();
    const { user } = await withIdentity(access, (identity) =>
      identity.createUser({ requestId, name }),
    );
    return userView(user);
  },
});

const get = defineCommand({
  name: 'get',
  description: 'show your own user, or one of your subusers',
  args: [['[id]', 'id of a subuser (default: yourself)']],
  examples: ['user get', 'user get -o json'],
  async run({ session, args: [userId] }) {
    const opened = await session();
    const { user } = await opened.identity.getUser({ userId: userId ?? (await opened.userId()) });
    return userView(user);
  },
});

/** Never sends the credential of the local stack to another server. */
function adminCredential(
  chosen: NamedContext,
  file: string | undefined,
  settings: Settings,
): Pick<IdentityAccess, 'address' | 'authorization'> {
  const { stack } = chosen.context;
  const found = file === undefined && stack !== undefined ? findLocalStack(stack) : undefined;
  if (found) return adminAccess(found);
  const authorization = file === undefined ? undefined : readHeader(file);
  if (authorization) return { authorization, address: addressOf('identity', chosen, settings) };
  throw new Failure(
    exitCodes.refused,
    file ? `${file} has no "authorization: …" line.` : 'The admin credential is unknown.',
    'Only the admin can create users; pass the credential file with --admin-header.',
  );
}

/** A user as a record; empty without one. */
export function userView(user: User | undefined): View {
  return recordView(user, [
    ['id', user?.id ?? ''],
    ['nametag', user?.nametag ?? ''],
    ['name', user?.name ?? ''],
    ['description', user?.description ?? ''],
    ['owner', user?.parentUserId ?? ''],
    ['created', toTime(user?.createdAt)],
  ]);
}

export const userCommands: readonly AnyCommand[] = [create, get];
