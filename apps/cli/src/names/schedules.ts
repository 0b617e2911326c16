import type { Agent, Cron, Heartbeat } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';

export async function listCrons(
  { runtime }: Pick<Session, 'runtime'>,
  limit?: number,
): Promise<Cron[]> {
  return collect(limit, async (page) => {
    const { crons: items, nextPageToken } = await runtime.listCrons(page);
    return { items, nextPageToken };
  });
}

export async function listHeartbeats(
  { runtime }: Pick<Session, 'runtime'>,
  limit?: number,
): Promise<Heartbeat[]> {
  return collect(limit, async (page) => {
    const { heartbeats: items, nextPageToken } = await runtime.listHeartbeats(page);
    return { items, nextPageToken };
  });
}

/**
 * Returns all crons if any of these agents belongs to a cron, because such an agent is shown with the cron's name;
 * otherwise none, without a call.
 */
export async function listCronsOf(
  session: Pick<Session, 'runtime'>,
  agents: readonly Agent[],
): Promise<Cron[]> {
  const hasCron = agents.some(({ descriptor }) => descriptor?.kind?.$case === 'cron');
  return hasCron ? listCrons(session) : [];
}
