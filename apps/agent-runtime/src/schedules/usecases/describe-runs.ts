import type { Agent, AgentReader } from '../../agents';
import { isOpen, viewRuns, type Run, type RunView } from '../domain/run';
import type { Cron, Heartbeat } from '../domain/schedule';

/** A cron as people see it: with its runs, newest first, and what they are waiting for. */
export interface CronView extends Omit<Cron, 'runs'> {
  readonly runs: readonly RunView[];
}

export interface HeartbeatView extends Omit<Heartbeat, 'lastRun'> {
  readonly lastRun: RunView | undefined;
}

type Agents = Pick<AgentReader, 'findMany'>;

export async function describeCrons(
  agents: Agents,
  crons: readonly Cron[],
): Promise<readonly CronView[]> {
  const byId = await findAgents(
    agents,
    crons.flatMap(({ runs }) => runs),
  );
  return crons.map((cron) => ({ ...cron, runs: viewRuns(cron.runs, waitsIn(byId)) }));
}

export async function describeHeartbeats(
  agents: Agents,
  heartbeats: readonly Heartbeat[],
): Promise<readonly HeartbeatView[]> {
  const byId = await findAgents(
    agents,
    heartbeats.flatMap(({ lastRun }) => lastRun ?? []),
  );
  return heartbeats.map((heartbeat) => {
    const [lastRun] = heartbeat.lastRun ? viewRuns([heartbeat.lastRun], waitsIn(byId)) : [];
    return { ...heartbeat, lastRun };
  });
}

/** Reads the agents of all open runs in one call. */
async function findAgents(
  agents: Agents,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, Agent>> {
  const ids = new Set(runs.filter(isOpen).map(({ agentId }) => agentId));
  const found = ids.size === 0 ? [] : await agents.findMany([...ids]);
  return new Map(found.map((agent) => [agent.id, agent]));
}

function waitsIn(byId: ReadonlyMap<string, Agent>) {
  return (agentId: string) => byId.get(agentId)?.waiting;
}
