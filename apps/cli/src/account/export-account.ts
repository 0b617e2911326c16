import { join, normalize } from 'node:path';
import type { Agent } from '@daycare/contracts/agent-runtime';
import { collectEntries } from '../client/collect-entries';
import { writeNewFile } from '../client/files/write-new';
import { loadTopology } from '../client/load-topology';
import type { Session } from '../client/session';
import { CallFailure } from '../failure/call-failure';
import { listAgents } from '../names/agents';
import { loadFriends } from '../names/friends';
import { listCrons, listHeartbeats } from '../names/schedules';
import { listDeadLetters, listEndpoints, listGrants } from '../names/sources';
import { listSubusers } from '../names/subusers';
import { toPlain } from '../output/plain';
import { safeLine } from '../output/safe-text';
import { exportMemory } from './export-memory';
import { exportHome } from './export-home';

type Write = (path: string, content: string | Uint8Array) => Promise<void>;

/**
 * Saves a person's account, friends, schedules, wiring, budgets, grants and dead letters, and the agents, memory and
 * text files of the person and of each subuser; no command can import them. Memory and files are read through a living
 * agent, so they are left out for a user who has none. If a call for a subuser fails, reports that and skips the rest
 * of that subuser. Returns the paths of the saved files.
 */
export async function exportAccount(
  session: Session,
  folder: string,
  force: boolean,
): Promise<string[]> {
  const paths: string[] = [];
  const write: Write = async (path, content) => {
    // The services choose these names; none may point outside the folder.
    if (/^\.\.(?:\/|$)/.test(normalize(path))) {
      console.error(safeLine(`Skipped ${path}: it would be outside the folder.`));
      return;
    }
    paths.push(path);
    await writeNewFile(join(folder, path), content, force);
  };
  const { identity } = session;
  const { user } = await identity.getUser({ userId: await session.userId() });
  const subusers = await listSubusers(session);
  await writeJson(write, 'account.json', { user, subusers });
  await writeJson(write, 'friends.json', await loadFriends(session));
  await writeJson(write, 'crons.json', await listCrons(session));
  await writeJson(write, 'heartbeats.json', await listHeartbeats(session));
  await writeJson(write, 'endpoints.json', await listEndpoints(session));
  await writeJson(write, 'budgets.json', await session.runtime.listBudgets({ userId: '' }));
  await writeJson(write, 'grants.json', await listGrants(session));
  await writeJson(write, 'dead-letters.json', await listDeadLetters(session));
  const topology = await loadTopology(session.topology, false);
  await writeJson(write, 'channels.json', topology?.channels?.channels ?? []);
  await writeJson(write, 'signals.json', topology?.signalSubscriptions?.subscriptions ?? []);
  for (const { id, folder: subfolder } of [
    { id: '', folder: 'you' },
    ...subusers.map((subuser) => ({ id: subuser.id, folder: join('subusers', subuser.nametag) })),
  ])
    await exportUser(session, id, (path, content) => write(join(subfolder, path), content)).catch(
      (error: unknown) => {
        if (id === '' || !(error instanceof CallFailure)) throw error;
        console.error(`Skipped the rest of ${subfolder}: ${error.message}.`);
      },
    );
  return paths;
}

async function exportUser(session: Session, subuserId: string, write: Write): Promise<void> {
  const agents = await listAgents(session, { subuserId, includeDead: true });
  for (const agent of agents) await exportAgent(session, agent, write);
  // A user's agents share memory and files, so any living agent can read them.
  const [reader] = await listAgents(session, { subuserId }, 1);
  if (!reader) return;
  const call = <T>(tool: string, args: object): Promise<T> =>
    session.callTool<T>(reader.id, tool, args);
  const list = <T>(tool: string, args: object): Promise<T[]> =>
    collectEntries<T>((offset) => call(tool, { ...args, offset }));
  await writeJson(write, 'memory.json', await exportMemory({ call, list }));
  await exportHome({ call, list }, (path, content) => write(join('files', path), content));
}

async function exportAgent(session: Session, { id }: Agent, write: Write): Promise<void> {
  const files = new Map<string, Uint8Array[]>();
  for await (const { fileName, chunk } of session.runtime.exportAgent({ agentId: id }))
    files.set(fileName, [...(files.get(fileName) ?? []), chunk]);
  for (const [name, chunks] of files) await write(join('agents', id, name), Buffer.concat(chunks));
}

function writeJson(write: Write, path: string, data: unknown): Promise<void> {
  return write(path, `${JSON.stringify(toPlain(data), null, 2)}\n`);
}
