import type { User } from '@daycare/contracts/identity';
import { addressOf } from '../client/address-of';
import type { NamedContext } from '../client/context';
import { findLocalStack, readHeader } from '../client/local-stack';
import { RequestIds } from '../client/request-ids';
import { adminAccess, withIdentity, type IdentityAccess } from '../client/sign-in';
import type { Settings } from '../config';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { recordView } from '../output/record';
import type { View } from '../output/view';
import { toTime } from '../output/words';
import { defineCommand, type AnyCommand } from './command';

const create = defineCommand<{ adminHeader?: string }>({
  name: 'create',
  description: 'make a user, with the admin\'s credential; "daycare login" also signs in as it',
  args: [['<name>', 'what people call it, up to 100 characters']],
  options: [
    [
      '--admin-header <file>',
      'holds "authorization: …" of the admin (default: of the stack of this machine)',
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
      ...adminOf(context, options.adminHeader, settings),
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
  description: 'one user: yourself, or a subuser of yours by id',
  args: [['[id]', 'of the user; yourself unless given']],
  examples: ['user get', 'user get -o json'],
  async run({ session, args: [userId] }) {
    const opened = await session();
    const { user } = await opened.identity.getUser({ userId: userId ?? (await opened.userId()) });
    return userView(user);
  },
});

/** Somebody else's server is never shown the credential of the stack of this machine. */
function adminOf(
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
    file ? `${file} holds no "authorization: …" line.` : "The admin's credential is not known.",
    'Only the admin makes users; name the file with --admin-header.',
  );
}

/** A user, or nothing when the answer had none. */
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
