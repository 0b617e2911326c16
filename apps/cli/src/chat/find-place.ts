import { DescriptorKind, type Agent, type UserDescriptor } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/pages';
import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

/** Where a person talks, and the agent that is there already. */
export interface FoundPlace {
  readonly place: UserDescriptor;
  readonly agent?: Agent;
}

/** The place of the agent that was asked for, else the channel of that name at this connector. */
export async function findPlace(
  session: Session,
  { channel, agent: wanted }: { readonly channel: string; readonly agent?: string },
): Promise<FoundPlace> {
  if (wanted !== undefined) return placeOf(session, wanted);
  const place = { connector: 'cli', channelId: channel, connectorUserId: 'me' };
  const agents = await collect(undefined, async (page) => {
    const kinds = [DescriptorKind.USER];
    const answer = await session.runtime.listAgents({
      ...page,
      kinds,
      subuserId: '',
      includeDead: false,
    });
    return { items: answer.agents, nextPageToken: answer.nextPageToken };
  });
  const agent = agents.find(({ descriptor }) => isAt(descriptor?.kind, place));
  return { place, ...(agent ? { agent } : {}) };
}

async function placeOf({ runtime }: Session, agentId: string): Promise<FoundPlace> {
  const selector = { $case: 'agentId', value: agentId } as const;
  const { agent } = await runtime.getAgent({ selector });
  const kind = agent?.descriptor?.kind;
  if (agent && kind?.$case === 'user') return { place: kind.value, agent };
  throw new Failure(
    exitCodes.usage,
    `Agent ${agentId} is not one that a person talks with.`,
    'Have an agent of yours write to it: /send_agent_message {"agentId":"…","text":"…"}.',
  );
}

function isAt(
  kind: NonNullable<Agent['descriptor']>['kind'] | undefined,
  { connector, channelId, connectorUserId }: UserDescriptor,
): boolean {
  return (
    kind?.$case === 'user' &&
    kind.value.connector === connector &&
    kind.value.channelId === channelId &&
    kind.value.connectorUserId === connectorUserId
  );
}
