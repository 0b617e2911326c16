import type { RevokeSessionsRequest, Session } from '@daycare/contracts/identity';
import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { collect } from '../../client/rpc/pages';
import { tableView, type Column } from '../../output/table';
import { textView } from '../../output/view';
import { defineCommand, type AnyCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';
import { withIdentityAs, type Identity, type IdentityInvocation } from './with-identity-as';

/** Which sessions a command lists or ends. */
interface SessionFilter {
  readonly user?: string;
  readonly credential?: string;
  readonly adminHeader?: string;
}

const filterOptions = [
  ['--user <id>', 'sessions of this user, its agents and its subusers (admin only)'],
  [
    '--credential <name>',
    'sessions opened by this client; "admin" for those opened by the operator, "oidc:NAME" for those opened at that sign-in provider (admin only)',
  ],
  adminHeaderOption,
] as const;

/** Calls identity as the operator if the filter is not empty, else as the user. */
function withSessions<T>(
  invocation: IdentityInvocation,
  { user, credential, adminHeader }: SessionFilter,
  use: (identity: Identity) => Promise<T>,
): Promise<T> {
  const isOperator = [user, credential, adminHeader].some((option) => option !== undefined);
  return withIdentityAs(invocation, { isOperator, adminHeader }, use);
}

function targetOf({ user, credential }: SessionFilter) {
  if (credential !== undefined) return { $case: 'credential', value: credential } as const;
  return user === undefined ? undefined : ({ $case: 'userId', value: user } as const);
}

export const sessionColumns: readonly Column<Session>[] = [
  ['ID', ({ id }) => id, 'id'],
  ['USER', ({ userId }) => userId, 'id'],
  ['AGENT', ({ agentId }) => agentId, 'id'],
  ['OPENED BY', ({ openedBy }) => openedBy, 'long'],
  ['AGE', ({ openedAt }) => openedAt],
  ['REFRESHED', ({ refreshedAt }) => refreshedAt],
  ['ENDS', ({ endsAt }) => endsAt],
];

const list = defineCommand<Limited & SessionFilter>({
  name: 'list',
  description: 'list your sessions or, as the admin, the sessions of any user or client',
  options: [limitOption, ...filterOptions],
  examples: ['session list', 'session list --credential telegram --admin-header ./admin.header'],
  async run({ options, ...invocation }) {
    const target = targetOf(options);
    const sessions = await withSessions(invocation, options, (identity) =>
      collect(options.limit, async (page) => {
        const { sessions: items, nextPageToken } = await identity.listSessions({
          of: target,
          ...page,
        });
        return { items, nextPageToken };
      }),
    );
    return tableView(sessions, sessionColumns, 'No sessions.');
  },
});

const revoke = defineCommand<SessionFilter>({
  name: 'revoke',
  description:
    'end one session or, as the admin, all sessions and personal access tokens of a user or client',
  args: [['[id]', 'id from "daycare session list"', { kind: 'session' }]],
  options: filterOptions,
  examples: ['session revoke clx3k2…', 'session revoke --credential telegram'],
  hints: { NOT_FOUND: 'Run "daycare session list" to see your sessions.' },
  async run({ args: [id], options, ...invocation }) {
    const target: RevokeSessionsRequest['target'] =
      id === undefined ? targetOf(options) : { $case: 'sessionId', value: id };
    const { ended } = await withSessions(invocation, options, (identity) =>
      identity.revokeSessions({ target }),
    );
    return textView(id === undefined ? endedText(ended) : `Ended session ${id}.`, { ended });
  },
});

/** Describes how many sessions and personal access tokens were ended. */
export function endedText(ended: number): string {
  return `Ended ${ended} ${ended === 1 ? 'session or token' : 'sessions and tokens'}.`;
}

export const sessionCommands: readonly AnyCommand[] = [list, revoke];
