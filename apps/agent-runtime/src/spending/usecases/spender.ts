import { notFound } from '@daycare/api';
import { findVisible, type AgentReader, type Directory } from '../../agents';

/** Who asks: a user, maybe a subuser with an owner; or the operator. */
export type Asker =
  | { readonly kind: 'user'; readonly userId: string; readonly parentUserId: string | undefined }
  | { readonly kind: 'operator' };

/** The user or agent whose usage is wanted; a user without an agent means all of its agents. */
export interface Spender {
  readonly ownerUserId: string;
  /** Undefined for an owner and all of its subusers. */
  readonly userId: string | undefined;
  readonly agentId: string | undefined;
}

export interface FindSpenderDeps {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly directory: Directory;
}

/**
 * Finds the user or agent that a request names by `user_id` and `agent_id`; both may be empty. Throws
 * NOT_FOUND for one that the asker may not see, as if it did not exist.
 */
export async function findSpender(
  asker: Asker,
  { userId, agentId }: { readonly userId: string; readonly agentId: string },
  deps: FindSpenderDeps,
): Promise<Spender> {
  const user = await findUser(asker, userId, deps);
  if (agentId === '') return { ...user, agentId: undefined };
  const agent = await findVisible(deps.agents, user.userId ?? user.ownerUserId, agentId);
  return { ownerUserId: user.ownerUserId, userId: agent.userId, agentId };
}

async function findUser(
  asker: Asker,
  userId: string,
  { directory }: FindSpenderDeps,
): Promise<Pick<Spender, 'ownerUserId' | 'userId'>> {
  if (asker.kind === 'user' && (userId === '' || userId === asker.userId)) return ownOf(asker);
  const found = await directory.findById(userId);
  if (!found) throw notFound('user');
  const { parentUserId } = found;
  if (asker.kind === 'user' && parentUserId !== asker.userId) throw notFound('user');
  return parentUserId === undefined
    ? { ownerUserId: userId, userId: undefined }
    : { ownerUserId: parentUserId, userId };
}

function ownOf({
  userId,
  parentUserId,
}: Extract<Asker, { kind: 'user' }>): Pick<Spender, 'ownerUserId' | 'userId'> {
  return parentUserId === undefined
    ? { ownerUserId: userId, userId: undefined }
    : { ownerUserId: parentUserId, userId };
}
