import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { collect } from '../../client/rpc/pages';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime } from '../../output/words';
import { endedText, sessionColumns } from '../account/session';
import { defineCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';
import { asOperator, type OperatorClients, type OperatorOptions } from './operator';

export const usersCommand = defineCommand<Limited & OperatorOptions>({
  name: 'users',
  description: 'list users and subusers by nametag',
  args: [['[nametag]', 'list only nametags that start with this (default: all)']],
  options: [limitOption, adminHeaderOption],
  examples: ['admin users --limit 20', 'admin users swift', 'admin users -o json'],
  async run({ args: [nametagPrefix = ''], options, ...invocation }) {
    const users = await asOperator(invocation, options, ({ identity }) =>
      collect(options.limit, async (page) => {
        const response = await identity.listUsers({ ...page, nametagPrefix });
        return { items: response.users, nextPageToken: response.nextPageToken };
      }),
    );
    return tableView(
      users,
      [
        ['NAMETAG', ({ nametag }) => nametag],
        ['ID', ({ id }) => id],
        ['NAME', ({ name }) => name],
        ['OWNER', ({ parentUserId }) => parentUserId],
        ['CREATED', ({ createdAt }) => toTime(createdAt)],
      ],
      'No users.',
    );
  },
});

interface SessionsOptions extends Limited, OperatorOptions {
  readonly end?: string;
  readonly endAll?: boolean;
}

export const sessionsCommand = defineCommand<SessionsOptions>({
  name: 'sessions',
  description: "list a user's sessions; end one or all",
  args: [['<nametag>', 'nametag or id of the user']],
  options: [
    limitOption,
    ['--end <id>', 'end this session'],
    ['--end-all', "end all of the user's sessions and revoke their personal access tokens"],
    adminHeaderOption,
  ],
  examples: ['admin sessions swiftfox42', 'admin sessions swiftfox42 --end-all'],
  hints: { NOT_FOUND: 'Run "daycare admin users" to see the users.' },
  async run({ args: [who = ''], options, ...invocation }) {
    return asOperator(invocation, options, async ({ identity }) => {
      const userId = await findUserId(identity, who);
      return options.end !== undefined || options.endAll
        ? end(identity, options, userId)
        : list(identity, options, userId);
    });
  },
});

type Identity = OperatorClients['identity'];

async function end(identity: Identity, options: SessionsOptions, userId: string): Promise<View> {
  const target =
    options.end === undefined
      ? ({ $case: 'userId', value: userId } as const)
      : ({ $case: 'sessionId', value: options.end } as const);
  const { ended } = await identity.revokeSessions({ target });
  const text = options.end === undefined ? endedText(ended) : `Ended session ${options.end}.`;
  return textView(text, { ended });
}

async function list(identity: Identity, options: Limited, userId: string): Promise<View> {
  const target = { $case: 'userId', value: userId } as const;
  const sessions = await collect(options.limit, async (page) => {
    const response = await identity.listSessions({ of: target, ...page });
    return { items: response.sessions, nextPageToken: response.nextPageToken };
  });
  return tableView(sessions, sessionColumns, 'No sessions.');
}

/** Returns the id of the user with this nametag; returns any other text, such as an id, unchanged. */
export async function findUserId(identity: Identity, nametagOrId: string): Promise<string> {
  const { users } = await identity.listUsers({
    nametagPrefix: nametagOrId,
    pageSize: 1,
    pageToken: '',
  });
  return users[0]?.nametag === nametagOrId.trim().toLowerCase() ? users[0].id : nametagOrId;
}
