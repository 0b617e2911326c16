import type { Agent, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';
import { safeLine } from '../output/safe-text';
import { shortId } from '../output/short-id';
import type { Named } from './pick';

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

/** An agent is known by its label and by the channel in which it talks. */
export function agentNames({ id, label, descriptor }: Agent): Named {
  const { channelId, name } = (descriptor?.kind?.value ?? {}) as {
    readonly channelId?: string;
    readonly name?: string;
  };
  const more = [channelId ?? '', name ?? ''].filter((each) => each !== '');
  return { id, names: [label, ...more] };
}

/** An agent as a person knows it, e.g. `cli:me (k2j9x0ab)`. */
export function agentTitle({ id, label }: Pick<Agent, 'id' | 'label'>): string {
  return `${safeLine(label)} (${shortId(id)})`;
}
