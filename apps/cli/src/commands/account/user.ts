import type { User } from '@daycare/contracts/identity';
import { adminHeaderOption, findAdminAccess } from '../../client/auth/admin-authorization';
import { machineTimeZone, withIdentity } from '../../client/auth/sign-in';
import { RequestIds } from '../../client/rpc/request-ids';
import { recordView } from '../../output/record';
import type { View } from '../../output/view';
import { toTime } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';

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
  args: [['[id]', 'id of a subuser (default: yourself)']],
  examples: ['user get', 'user get -o json'],
  async run({ session, args: [userId] }) {
    const opened = await session();
    const { user } = await opened.identity.getUser({ userId: userId ?? (await opened.userId()) });
    return userView(user);
  },
});

const set = defineCommand<{ timeZone?: string }>({
  name: 'set',
  description: 'change your settings, such as your time zone',
  options: [
    ['--time-zone <name>', 'your time zone, e.g. Europe/Berlin (default: that of this machine)'],
  ],
  examples: ['user set --time-zone Europe/Berlin'],
  async run({ session, options: { timeZone = machineTimeZone() } }) {
    const opened = await session();
    const userId = await opened.userId();
    const requestId = opened.requestIds.next();
    const { user } = await opened.identity.updateUser({ requestId, userId, timeZone });
    return userView(user);
  },
});

/** A user as a record; empty without one. */
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

export const userCommands: readonly AnyCommand[] = [create, get, set];
