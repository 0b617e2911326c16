import type { CreateAccessTokenResponse, PersonalAccessToken } from '@daycare/contracts/identity';
import { tokenScopes } from '@daycare/contracts/scopes';
import { adminHeaderOption } from '../../client/auth/admin-authorization';
import { RequestIds } from '../../client/rpc/request-ids';
import { recordView, type Entry } from '../../output/record';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { collectValue, onlySubuser, parseCount } from '../kit/options';
import { withIdentityAs } from './with-identity-as';

interface ForOperator {
  readonly adminHeader?: string;
  readonly admin?: true;
}

const operatorOptions = [
  ['--admin', "act as the stack's operator instead of as yourself"],
  adminHeaderOption,
] as const;

const operatorOf = ({ admin, adminHeader }: ForOperator) => ({
  isOperator: admin === true || adminHeader !== undefined,
  adminHeader,
});

const dayMs = 86_400_000;

interface CreateOptions extends ForOperator {
  readonly scope: readonly string[];
  readonly subuser?: string;
  readonly days?: number;
}

const create = defineCommand<CreateOptions>({
  name: 'create',
  description: 'create a personal access token for a program and show it once',
  args: [['<name>', 'what the token is for, up to 100 characters']],
  options: [
    [
      '--scope <scope>',
      `what the token may do: ${tokenScopes.join(', ')}; repeatable`,
      { parse: collectValue, isRequired: true },
    ],
    onlySubuser('subuser that the token acts as (default: yourself)'),
    ['--days <count>', 'days until it expires (default: 90, at most 366)', { parse: parseCount }],
    ...operatorOptions,
  ],
  examples: [
    'token create "backup script" --scope agents:read',
    'token create bridge --scope agents:read --scope agents:talk --subuser cook --days 30',
    'token create monitoring --scope admin --admin',
  ],
  async run({ args: [name = ''], options, global, ...invocation }) {
    const { scope, subuser = '', days = 0 } = options;
    const request = {
      requestId: new RequestIds(global.requestId).next(),
      name,
      scopes: [...scope],
      subuserId: subuser,
      lifetimeMs: days * dayMs,
    };
    const created = await withIdentityAs(invocation, operatorOf(options), (identity) =>
      identity.createAccessToken(request),
    );
    return createdView(created);
  },
});

function createdView(created: CreateAccessTokenResponse): View {
  const { token, secret } = created;
  const entries: Entry[] = [
    ['token', secret],
    ['id', token?.id ?? ''],
    ['scopes', token?.scopes.join(' ') ?? ''],
    ['subuser', token?.subuserId ?? ''],
    ['expires', toTime(token?.expiresAt)],
    ['note', 'The token is not shown again; store it like a password.'],
  ];
  return recordView(created, entries);
}

const list = defineCommand<ForOperator>({
  name: 'list',
  description: 'list your personal access tokens',
  options: operatorOptions,
  examples: ['token list', 'token list -o json'],
  async run({ options, ...invocation }) {
    const { tokens } = await withIdentityAs(invocation, operatorOf(options), (identity) =>
      identity.listAccessTokens({}),
    );
    return tableView<PersonalAccessToken>(
      tokens,
      [
        ['ID', ({ id }) => id, 'id'],
        ['NAME', ({ name }) => name, 'long'],
        ['SCOPES', ({ scopes }) => scopes.join(' '), 'long'],
        ['SUBUSER', ({ subuserId }) => subuserId, 'id'],
        ['LAST USED', ({ lastUsedAt }) => lastUsedAt],
        ['EXPIRES', ({ expiresAt }) => expiresAt],
      ],
      'No personal access tokens.',
    );
  },
});

const revoke = defineCommand<ForOperator>({
  name: 'revoke',
  description: 'revoke a personal access token',
  args: [['<token>', 'name, or id from "daycare token list"', { kind: 'token' }]],
  options: operatorOptions,
  examples: ['token revoke bridge'],
  hints: { NOT_FOUND: 'Run "daycare token list" to see your tokens.' },
  async run({ args: [tokenId = ''], options, ...invocation }) {
    await withIdentityAs(invocation, operatorOf(options), (identity) =>
      identity.revokeAccessToken({ tokenId }),
    );
    return textView(`Revoked token ${tokenId}.`, { tokenId });
  },
});

const issue = defineCommand<Pick<ForOperator, 'adminHeader'>>({
  name: 'issue',
  description: 'sign in a person and print their tokens (admin only)',
  args: [['<user>', 'id of the user']],
  options: [adminHeaderOption],
  examples: ['token issue clx3k2…', 'token issue clx3k2… --admin-header ./admin.header -o json'],
  async run({ args: [userId = ''], options: { adminHeader }, ...invocation }) {
    const { tokens } = await withIdentityAs(
      invocation,
      { isOperator: true, adminHeader },
      (identity) => identity.issueToken({ userId, agentId: '', publicKeyJwk: '' }),
    );
    return recordView(tokens, [
      ['access token', tokens?.accessToken ?? ''],
      ['expires', toTime(tokens?.accessExpiresAt)],
      ['refresh token', tokens?.refreshToken ?? ''],
      ['refresh until', toTime(tokens?.refreshExpiresAt)],
    ]);
  },
});

export const tokenCommands: readonly AnyCommand[] = [create, list, revoke, issue];
