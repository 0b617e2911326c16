import type { DeadLetter, Grant } from '@daycare/contracts/agent-runtime';
import type { Endpoint } from '@daycare/contracts/topology';
import { loadTopology } from '../client/load-topology';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';
import { loadAgentNames } from './agents';
import { loadFriends, friendNames } from './friends';
import type { NameKind } from './name-kinds';
import type { Kind, Named } from './pick';
import { listCrons, listHeartbeats } from './schedules';
import { listSubusers, subuserNames } from './subusers';

/** What a person can name, the command that lists it, and how to load all of it. */
export interface Source extends Kind {
  readonly load: (session: Session) => Promise<readonly Named[]>;
}

/** Everything that commands accept by name or id. */
export const sources: Readonly<Record<NameKind, Source>> = {
  agent: source('agent', 'agent list', loadAgentNames),
  subuser: source('subuser', 'subuser list', async (session) =>
    (await listSubusers(session)).map(subuserNames),
  ),
  friend: source('friend', 'friend list', async (session) =>
    friendNames(await loadFriends(session)),
  ),
  cron: source('cron', 'cron list', async (session) =>
    (await listCrons(session)).map(({ id, name }) => ({ id, names: [name] })),
  ),
  heartbeat: source('heartbeat', 'heartbeat list', async (session) =>
    (await listHeartbeats(session)).map(({ id, title }) => ({ id, names: [title] })),
  ),
  endpoint: source('endpoint', 'expose list', async (session) =>
    (await listEndpoints(session)).map(({ id, name }) => ({ id, names: [name] })),
  ),
  permission: source('permission request', 'permission list', ({ runtime }) =>
    collectUnnamed(async (page) => {
      const response = await runtime.listPermissionRequests({ ...page, agentId: '', states: [] });
      return { items: response.permissionRequests, nextPageToken: response.nextPageToken };
    }),
  ),
  grant: source('grant', 'permission grants', async (session) =>
    (await listGrants(session)).map(({ id }) => ({ id, names: [] })),
  ),
  deadLetter: source('dead letter', 'dead-letter list', async (session) =>
    (await listDeadLetters(session)).map(({ id }) => ({ id, names: [] })),
  ),
  upload: source('upload', 'file uploads', ({ runtime }) =>
    collect(undefined, async (page) => {
      const { files, nextPageToken } = await runtime.listFiles(page);
      const items = files.flatMap(({ file }) =>
        file ? [{ id: file.id, names: [file.name] }] : [],
      );
      return { items, nextPageToken };
    }),
  ),
  token: source('token', 'token list', async ({ identity }) =>
    (await identity.listAccessTokens({})).tokens.map(({ id, name }) => ({ id, names: [name] })),
  ),
  session: source('session', 'session list', ({ identity }) =>
    collectUnnamed(async (page) => {
      const { sessions: items, nextPageToken } = await identity.listSessions(page);
      return { items, nextPageToken };
    }),
  ),
  channel: source('channel', 'channel list', async ({ topology }) => {
    const channels = (await loadTopology(topology, false))?.channels?.channels ?? [];
    return channels.map(({ name }) => ({ id: name, names: [] }));
  }),
};

function source(noun: string, listedBy: string, load: Source['load']): Source {
  return { noun, listedBy: `daycare ${listedBy}`, load };
}

export function listEndpoints(
  { topology }: Pick<Session, 'topology'>,
  limit?: number,
): Promise<Endpoint[]> {
  return collect(limit, async (page) => {
    const { endpoints: items, nextPageToken } = await topology.listEndpoints(page);
    return { items, nextPageToken };
  });
}

/** Lists the grants of all agents. */
export function listGrants({ runtime }: Pick<Session, 'runtime'>): Promise<Grant[]> {
  return collect(undefined, async (page) => {
    const { grants: items, nextPageToken } = await runtime.listGrants({ ...page, agentId: '' });
    return { items, nextPageToken };
  });
}

/** Lists the dead letters of all agents. */
export function listDeadLetters({ runtime }: Pick<Session, 'runtime'>): Promise<DeadLetter[]> {
  return collect(undefined, async (page) => {
    const response = await runtime.listDeadLetters({ ...page, agentId: '' });
    return { items: response.deadLetters, nextPageToken: response.nextPageToken };
  });
}

/** Collects objects that have no names and are found by id or by a prefix of it. */
async function collectUnnamed(
  load: Parameters<typeof collect<{ readonly id: string }>>[1],
): Promise<Named[]> {
  return (await collect(undefined, load)).map(({ id }) => ({ id, names: [] }));
}
