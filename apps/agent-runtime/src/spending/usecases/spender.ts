import { notFound } from '@daycare/api';
import { findVisibleAgent, type AgentReader, type Directory } from '../../agents';

/** Who makes a request: a user (with `parentUserId` if it is a subuser) or the operator. */
export type Requester =
  | { readonly kind: 'user'; readonly userId: string; readonly parentUserId: string | undefined }
  | { readonly kind: 'operator' };

/** The user or agent whose spending a request concerns; without an agent, the user's agents together. */
export interface Spender {
  readonly ownerUserId: string;
  /** Undefined for an owner together with all of its subusers. */
  readonly userId: string | undefined;
  readonly agentId: string | undefined;
}

export interface FindSpenderDeps {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly directory: Directory;
}

/**
 * Finds the user or agent that a request names by `user_id` and `agent_id`; both may be empty. Throws NOT_FOUND for a
 * user or agent that the requester may not see, as if it did not exist.
 */
export async function findSpender(
  requester: Requester,
  { userId, agentId }: { readonly userId: string; readonly agentId: string },
  deps: FindSpenderDeps,
): Promise<Spender> {
  const user = await findUser(requester, userId, deps);
  if (agentId === '') return { ...user, agentId: undefined };
  const agent = await findVisibleAgent(deps.agents, user.userId ?? user.ownerUserId, agentId);
  return { ownerUserId: user.ownerUserId, userId: agent.userId, agentId };
}

async function findUser(
  requester: Requester,
  userId: string,
  { directory }: FindSpenderDeps,
): Promise<Pick<Spender, 'ownerUserId' | 'userId'>> {
  if (requester.kind === 'user' && (userId === '' || userId === requester.userId))
    return toSpender(requester);
  const found = await directory.findById(userId);
  if (!found) throw notFound('user');
  const { parentUserId } = found;
  if (requester.kind === 'user' && parentUserId !== requester.userId) throw notFound('user');
  return parentUserId === undefined
    ? { ownerUserId: userId, userId: undefined }
    : { ownerUserId: parentUserId, userId };
}

function toSpender({
  userId,
  parentUserId,
}: Extract<Requester, { kind: 'user' }>): Pick<Spender, 'ownerUserId' | 'userId'> {
  return parentUserId === undefined
    ? { ownerUserId: userId, userId: undefined }
    : { ownerUserId: parentUserId, userId };
}
