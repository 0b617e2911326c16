import { AppError, isForeign, messageIdOf } from '@daycare/api';
import type { PermissionRequest } from './permission';

/** How many requests may be pending at a time. */
interface PendingLimits {
  readonly perAgent: number;
  readonly perDecider: number;
}

const allTurns: PendingLimits = { perAgent: 5, perDecider: 20 };
/**
 * How many of those may be from turns of guests and outsiders, so that slots are always left for the user's own turns.
 */
const foreignTurns: PendingLimits = { perAgent: 3, perDecider: 12 };

/** What a pending request occupies. Unique indexes over the pending requests enforce the limits. */
export interface PendingSlots {
  /** Identifies the requested permission or call, for which an agent has at most one pending request. */
  readonly key: string;
  /** The number of one of the agent's slots. */
  readonly agentPlace: number;
  /** The number of one of the deciding user's slots. */
  readonly deciderPlace: number;
}

type NewRequest = Pick<PermissionRequest, 'agentId' | 'permission' | 'call' | 'askedIn'>;

/** The slots that a pending request occupies, and its agent. */
export type TakenSlots = PendingSlots & Pick<PermissionRequest, 'agentId'>;

export function keyOf({ agentId, permission, call }: NewRequest): string {
  return call
    ? messageIdOf('pending-call', agentId, call.toolName, call.argumentsJson)
    : messageIdOf('pending-permission', agentId, permission);
}

/**
 * Finds free slots for a request, given those that its decider's other pending requests occupy. Requests from guests'
 * and outsiders' turns can use only the lowest-numbered slots; requests from the user's own turns get the free slots
 * with the highest numbers. Throws QUOTA_EXCEEDED when there is no free slot.
 */
export function findSlots(request: NewRequest, taken: readonly TakenSlots[]): PendingSlots {
  const isFromForeignTurn = request.askedIn !== undefined && isForeign(request.askedIn.trust);
  const { perAgent, perDecider } = isFromForeignTurn ? foreignTurns : allTurns;
  const ofAgent = taken.filter(({ agentId }) => agentId === request.agentId);
  const agentSlots = freeSlots(new Set(ofAgent.map(({ agentPlace }) => agentPlace)), perAgent);
  const deciderSlots = freeSlots(
    new Set(taken.map(({ deciderPlace }) => deciderPlace)),
    perDecider,
  );
  const firstOrLast = isFromForeignTurn ? 0 : -1;
  const [agentPlace, deciderPlace] = [agentSlots.at(firstOrLast), deciderSlots.at(firstOrLast)];
  if (agentPlace === undefined)
    throw quotaExceeded(
      `At most ${allTurns.perAgent} of your requests can be pending, and at most ${foreignTurns.perAgent} of them can be from turns that others started; wait for a decision before asking again`,
    );
  if (deciderPlace === undefined)
    throw quotaExceeded(
      `At most ${allTurns.perDecider} requests can be pending for a user, and at most ${foreignTurns.perDecider} of them can be from turns that others started; ask again later`,
    );
  return { key: keyOf(request), agentPlace, deciderPlace };
}

function freeSlots(taken: ReadonlySet<number>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, slot) => slot).filter((slot) => !taken.has(slot));
}

function quotaExceeded(message: string): AppError {
  return new AppError('QUOTA_EXCEEDED', message);
}
