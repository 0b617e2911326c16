import { DescriptorKind, type Agent, type UserDescriptor } from '@daycare/contracts/agent-runtime';
import { collect } from '../client/rpc/pages';
import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

/** Where a chat sends its messages, and the agent that receives them, if it exists. */
export interface ChatAgent {
  readonly address: UserDescriptor;
  readonly agent?: Agent;
}

/** Finds the agent with the given id or, without an id, the agent of the CLI's channel with the given name. */
export async function findChatAgent(
  session: Session,
  { channel, agent: agentId }: { readonly channel: string; readonly agent?: string },
): Promise<ChatAgent> {
  if (agentId !== undefined) return findById(session, agentId);
  const address = { connector: 'cli', channelId: channel, connectorUserId: 'me' };
  const agents = await collect(undefined, async (page) => {
    const kinds = [DescriptorKind.USER];
    const response = await session.runtime.listAgents({
      ...page,
      kinds,
      subuserId: '',
      includeDead: false,
    });
    return { items: response.agents, nextPageToken: response.nextPageToken };
  });
  const agent = agents.find(({ descriptor }) => isAt(descriptor?.kind, address));
  return { address, ...(agent ? { agent } : {}) };
}

async function findById({ runtime }: Session, agentId: string): Promise<ChatAgent> {
  const selector = { $case: 'agentId', value: agentId } as const;
  const { agent } = await runtime.getAgent({ selector });
  const kind = agent?.descriptor?.kind;
  if (agent && kind?.$case === 'user') return { address: kind.value, agent };
  throw new Failure(
    exitCodes.usage,
    `You cannot chat with agent ${agentId}.`,
    `You can chat only with agents that have a conversation with you. To send this one a message, run "daycare agent message ${agentId} <text>".`,
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
