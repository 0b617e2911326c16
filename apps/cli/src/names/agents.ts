import type { Agent, Cron, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';
import { safeLine } from '../output/safe-text';
import { labelText, shortId } from '../output/short-id';
import type { Named } from './pick';
import { listCronsOf } from './schedules';

interface AgentFilter {
  readonly subuserId?: string;
  readonly kinds?: DescriptorKind[];
  readonly includeDead?: boolean;
}

export function listAgents(
  { runtime }: Pick<Session, 'runtime'>,
  filter: AgentFilter = {},
  limit?: number,
): Promise<Agent[]> {
  const request = { subuserId: '', kinds: [], includeDead: false, ...filter };
  return collect(limit, async (page) => {
    const { agents: items, nextPageToken } = await runtime.listAgents({ ...page, ...request });
    return { items, nextPageToken };
  });
}

/** Loads the names of the person's own living agents; those of subusers are not included. */
export async function loadAgentNames(session: Pick<Session, 'runtime'>): Promise<Named[]> {
  const agents = await listAgents(session);
  const crons = await listCronsOf(session, agents);
  return agents.map((agent) => agentNames(agent, crons));
}

/** Returns an agent's names: its label, in which a cron's name replaces the cron's id, and its channel id or name. */
function agentNames({ id, label, descriptor }: Agent, crons: readonly Cron[]): Named {
  const { channelId, name } = (descriptor?.kind?.value ?? {}) as {
    readonly channelId?: string;
    readonly name?: string;
  };
  const otherNames = [channelId ?? '', name ?? ''].filter((text) => text !== '');
  return { id, names: [labelText(label, crons), ...otherNames] };
}

/** Returns an agent's label and short id, e.g. `cli:me (k2j9x0ab)`. */
export function agentTitle({ id, label }: Pick<Agent, 'id' | 'label'>): string {
  return `${safeLine(label)} (${shortId(id)})`;
}
