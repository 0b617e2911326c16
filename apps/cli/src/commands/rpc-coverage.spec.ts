import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessTables, type Role } from '@daycare/contracts/access';
import { leavesOf } from '../completion/command-tree';
import { readSettings } from '../config';
import { buildProgram } from '../program';
import { loadAll } from './kit/lazy-commands';

/** The roles of a caller who is a person or an operator. */
const personRoles: readonly Role[] = ['anyone', 'user', 'person', 'admin'];

/** The RPCs that the CLI does not call directly, each with the reason. */
const withoutCommand: Readonly<Record<string, string>> = {
  batchGetUsers: 'the same as `user get`, for many users at once',
  createSubuser: '`subuser create` uses the tool that also creates its gateway agent',
  sendAgentMessage:
    'only agents send messages to agents; `agent message` runs the tool as an agent',
  sendChannelMessage: '`channel send` uses the tool, which checks membership',
  sendFriendMessages: '`friend send` sends single messages',
  uploadFile: '`file upload` uses @daycare/client',
  downloadFile: '`file download` uses @daycare/client',
  refreshToken: '@daycare/client renews tokens',
  exchangeAccessToken: '@daycare/client renews tokens',
  exchangeSignInCode: 'the gateway signs browsers in',
  listSignInProviders: 'the gateway signs browsers in',
  beginSignIn: 'the gateway signs browsers in',
  completeSignIn: 'the gateway signs browsers in',
  getJwks: 'for programs that check tokens',
};

const source = readAll(join(__dirname, '..'));

function readAll(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

const publicRpcs = Object.values(accessTables).flatMap((table) =>
  Object.entries(table)
    .filter(([, roles]) => roles.some((role) => personRoles.includes(role)))
    .map(([name]) => name),
);

describe('the commands', () => {
  it('call every RPC that a person or an operator may call, except those listed with a reason', () => {
    const isCalled = (rpc: string): boolean => source.includes(`.${rpc}(`);
    const missing = publicRpcs.filter((rpc) => !isCalled(rpc) && !(rpc in withoutCommand));
    expect(missing).toEqual([]);
    const stale = Object.keys(withoutCommand).filter(
      (rpc) => isCalled(rpc) || !publicRpcs.includes(rpc),
    );
    expect(stale).toEqual([]);
  });

  it('all have a description, and examples that begin with the command', async () => {
    const program = buildProgram(readSettings({}));
    await loadAll(program);
    const leaves = leavesOf(program);
    const incomplete = leaves.filter(({ spec }) => !spec?.description || !spec.examples.length);
    expect(incomplete.map(({ path }) => path)).toEqual([]);
    const broken = leaves.flatMap(({ path, spec }) =>
      (spec?.examples ?? []).filter((example) => !`${example} `.startsWith(`${path} `)),
    );
    expect(broken).toEqual([]);
  });

  it('ask for confirmation if they are named delete or end', async () => {
    const program = buildProgram(readSettings({}));
    await loadAll(program);
    const deleting = leavesOf(program).filter(({ path }) => / (?:delete|end)$/.test(path));
    expect(deleting.filter(({ spec }) => !spec?.confirm).map(({ path }) => path)).toEqual([]);
    expect(deleting.length).toBeGreaterThan(5);
  });
});
