import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../client/session';
import { exportAccount } from './export-account';

const printed: string[] = [];
let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'daycare-export-'));
  jest.spyOn(console, 'error').mockImplementation((line: string) => void printed.push(line));
});
afterEach(async () => {
  jest.restoreAllMocks();
  printed.length = 0;
  await rm(parent, { recursive: true });
});

/** Returns the session of a person with one agent, whose export consists of one file with this name. */
function sessionExporting(fileName: string): Session {
  const lastPage = { nextPageToken: '' };
  const lists = { friends: [], requests: [], blocks: [] };
  const session = {
    userId: async () => 'u1',
    identity: {
      getUser: async () => ({ user: { id: 'u1' } }),
      listSubusers: async () => ({ subusers: [], ...lastPage }),
    },
    graph: { listFriends: async () => ({ ...lists, ...lastPage }) },
    topology: {
      getTopology: async () => lastPage,
      listEndpoints: async () => ({ endpoints: [], ...lastPage }),
    },
    runtime: {
      listAgents: async ({ includeDead }: { includeDead: boolean }) => ({
        agents: includeDead ? [{ id: 'a1' }] : [],
        ...lastPage,
      }),
      listCrons: async () => ({ crons: [], ...lastPage }),
      listHeartbeats: async () => ({ heartbeats: [], ...lastPage }),
      listBudgets: async () => ({ budgets: [{ maxTokens: 5 }], currency: 'USD' }),
      listGrants: async () => ({ grants: [{ id: 'g1' }], ...lastPage }),
      listDeadLetters: async () => ({ deadLetters: [{ id: 'd1', text: 'Hello?' }], ...lastPage }),
      async *exportAgent() {
        yield { fileName, chunk: Buffer.from('history') };
      },
    },
  };
  return session as unknown as Session;
}

it('an export contains budgets, grants and dead letters', async () => {
  const folder = join(parent, 'all');
  const paths = await exportAccount(sessionExporting('history.jsonl'), folder, false);
  expect(paths).toContain('you/agents/a1/history.jsonl');
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), 'utf8'));
  expect(await read('budgets.json')).toEqual({ budgets: [{ maxTokens: 5 }], currency: 'USD' });
  expect(await read('grants.json')).toEqual([{ id: 'g1' }]);
  expect(await read('dead-letters.json')).toEqual([{ id: 'd1', text: 'Hello?' }]);
  expect(printed).toEqual([]);
});

it('an export writes nothing outside its folder, and names each file that it skips for this reason', async () => {
  const session = sessionExporting('../../../../\u001b[2J');
  const paths = await exportAccount(session, join(parent, 'all'), false);
  expect(paths.filter((path) => path.includes('..'))).toEqual([]);
  expect(await readdir(parent)).toEqual(['all']);
  expect(printed).toEqual(['Skipped ../\\u001b[2J: it would be outside the folder.']);
});
