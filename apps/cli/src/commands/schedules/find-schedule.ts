import type { Cron, Heartbeat } from '@daycare/contracts/agent-runtime';
import { collect } from '../../client/rpc/pages';
import type { Session } from '../../client/session';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

/** As long as every id of a schedule. */
const isId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

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

/** The id of the cron that a person means: by id, or by name where only one has it. */
export async function findCronId(session: Session, text: string): Promise<string> {
  if (isId(text)) return text;
  return idByName(text, await listCrons(session), ({ name }) => name, 'cron');
}

/** The same for a heartbeat and its title. */
export async function findHeartbeatId(session: Session, text: string): Promise<string> {
  if (isId(text)) return text;
  return idByName(text, await listHeartbeats(session), ({ title }) => title, 'heartbeat');
}

/** An unknown name is passed on unchanged; the service then reports that it does not exist. */
export function idByName<T extends { readonly id: string }>(
  text: string,
  all: readonly T[],
  nameOf: (each: T) => string,
  what: 'cron' | 'heartbeat',
): string {
  const [first, ...others] = all.filter((each) => each.id === text || nameOf(each) === text);
  if (others.length === 0) return first?.id ?? text;
  throw new Failure(
    exitCodes.usage,
    `${others.length + 1} ${what}s are called "${text}".`,
    `Use the id of one of them, from "daycare ${what} list".`,
  );
}
