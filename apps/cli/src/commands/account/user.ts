import type { User } from '@daycare/contracts/identity';
import { adminHeaderOption, findAdminAccess } from '../../client/auth/admin-authorization';
import { machineTimeZone, withIdentity } from '../../client/auth/sign-in';
import { RequestIds } from '../../client/rpc/request-ids';
import { listSubusers } from '../../names/subusers';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { withIdentityAs } from './with-identity-as';

const create = defineCommand<{ adminHeader?: string }>({
  name: 'create',
  description: 'create a user (admin only); "daycare login" creates one and signs in',
  args: [['<name>', 'display name, up to 100 characters']],
  options: [adminHeaderOption],
  examples: ['user create Ada', 'user create Ada --admin-header ./admin.header --context work'],
  async run({ chosen, settings, global, timeoutMs, args: [name = ''], options }) {
    const context = await chosen();
    const { tls } = context.context;
    const access = {
      context: context.name,
      timeoutMs,
      ...(tls ? { tls } : {}),
      ...findAdminAccess(context, options.adminHeader, settings),
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
  args: [['[subuser]', 'name or id of a subuser (default: yourself)', { kind: 'subuser' }]],
  examples: ['user get', 'user get -o json'],
  async run({ session, args: [userId] }) {
    const opened = await session();
    const { user } = await opened.identity.getUser({ userId: userId ?? (await opened.userId()) });
    return userView(user);
  },
});

const list = defineCommand({
  name: 'list',
  description: 'list yourself and your subusers',
  examples: ['user list', 'user list -o json'],
  async run({ session }) {
    const opened = await session();
    const [{ user }, subusers] = await Promise.all([
      opened.identity.getUser({ userId: await opened.userId() }),
      listSubusers(opened),
    ]);
    return tableView(
      [...(user ? [user] : []), ...subusers],
      [
        ['ID', ({ id }) => id, 'id'],
        ['NAME', ({ name }) => name, 'long'],
        ['NAMETAG', ({ nametag }) => nametag],
        ['OWNER', ({ parentUserId }) => parentUserId, 'id'],
        ['AGE', ({ createdAt }) => createdAt],
      ],
      'No users.',
    );
  },
});

const find = defineCommand<{ adminHeader?: string }>({
  name: 'find',
  description: 'show the user with a given nametag (admin only)',
  args: [['<nametag>', 'nametag, e.g. swiftfox42']],
  options: [adminHeaderOption],
  examples: ['user find swiftfox42', 'user find swiftfox42 --admin-header ./admin.header -o json'],
  async run({ args: [nametag = ''], options: { adminHeader }, ...invocation }) {
    const caller = { isOperator: true, adminHeader };
    const { user } = await withIdentityAs(invocation, caller, (identity) =>
      identity.resolveNametag({ nametag }),
    );
    return userView(user);
  },
});

const remove = defineCommand<{ adminHeader?: string }>({
  name: 'delete',
  description: 'delete a user and everything they own (admin only); cannot be undone',
  args: [['<id>', 'id of the user, e.g. from "daycare user find"']],
  options: [adminHeaderOption],
  examples: ['user delete clx3k2…', 'user delete clx3k2… --yes --admin-header ./admin.header'],
  confirm: ([id]) =>
    `Delete user ${id} and their agents, subusers, memory and files? This cannot be undone.`,
  async run({ args: [userId = ''], options: { adminHeader }, global, ...invocation }) {
    const requestId = new RequestIds(global.requestId).next();
    const caller = { isOperator: true, adminHeader };
    await withIdentityAs(invocation, caller, (identity) =>
      identity.deleteUser({ requestId, userId }),
    );
    return textView(`Deleted user ${userId}.`, { userId });
  },
});

const set = defineCommand<{ name?: string; timeZone?: string }>({
  name: 'set',
  description: 'change your name or your time zone',
  options: [
    ['--name <name>', 'what people and agents call you'],
    [
      '--time-zone <name>',
      "your time zone, e.g. Europe/Berlin; with no options at all, the command sets it to this machine's time zone",
    ],
  ],
  examples: ['user set --time-zone Europe/Berlin', 'user set --name "Ada Lovelace"'],
  async run({ session, options: { name, timeZone } }) {
    const opened = await session();
    const userId = await opened.userId();
    const requestId = opened.requestIds.next();
    const changes =
      name === undefined ? { timeZone: timeZone ?? machineTimeZone() } : { name, timeZone };
    const { user } = await opened.identity.updateUser({ requestId, userId, ...changes });
    return userView(user);
  },
});

/** Shows a user as a record; empty if there is no user. */
export function userView(user: User | undefined): View {
  return recordView(user, [
    ['id', user?.id ?? ''],
    ['nametag', user?.nametag ?? ''],
    ['name', user?.name ?? ''],
    ['description', user?.description ?? ''],
    ['owner', user?.parentUserId ?? ''],
    ['time zone', user?.timeZone ?? ''],
    ['created', toTime(user?.createdAt)],
  ]);
}

export const userCommands: readonly AnyCommand[] = [create, list, get, find, set, remove];
