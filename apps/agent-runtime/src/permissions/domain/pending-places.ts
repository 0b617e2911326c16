import { AppError, isForeign, messageIdOf } from '@daycare/api';
import type { PermissionRequest } from './permission';

/** How many requests may be pending at a time. */
interface PendingLimits {
  readonly perAgent: number;
  readonly perDecider: number;
}

const allTurns: PendingLimits = { perAgent: 5, perDecider: 20 };
/** How many of those may be from foreign turns, so that places are always left for the user's own turns. */
const foreignTurns: PendingLimits = { perAgent: 3, perDecider: 12 };

/** What a pending request occupies. Each of these is unique among pending requests, which enforces the limits. */
export interface PendingPlaces {
  /** Identifies the requested permission or call, for which an agent has at most one pending request. */
  readonly key: string;
  /** One of the agent's numbered places. */
  readonly agentPlace: number;
  /** One of the deciding user's numbered places. */
  readonly deciderPlace: number;
}

type NewRequest = Pick<PermissionRequest, 'agentId' | 'permission' | 'call' | 'askedIn'>;

/** The places taken by a pending request with the same decider. */
export type TakenPlaces = PendingPlaces & Pick<PermissionRequest, 'agentId'>;

export function keyOf({ agentId, permission, call }: NewRequest): string {
  return call
    ? messageIdOf('pending-call', agentId, call.toolName, call.argumentsJson)
    : messageIdOf('pending-permission', agentId, permission);
}

/**
 * Finds free places for a request, given the places taken by its decider's other pending requests. Requests from
 * guests' and outsiders' turns may take only the first places; requests from the user's own turns take the last free
 * ones.
 */
export function findPlaces(request: NewRequest, taken: readonly TakenPlaces[]): PendingPlaces {
  const isFromForeignTurn = request.askedIn !== undefined && isForeign(request.askedIn.trust);
  const { perAgent, perDecider } = isFromForeignTurn ? foreignTurns : allTurns;
  const ofAgent = taken.filter(({ agentId }) => agentId === request.agentId);
  const agentPlaces = freePlaces(new Set(ofAgent.map(({ agentPlace }) => agentPlace)), perAgent);
  const deciderPlaces = freePlaces(
    new Set(taken.map(({ deciderPlace }) => deciderPlace)),
    perDecider,
  );
  const firstOrLast = isFromForeignTurn ? 0 : -1;
  const [agentPlace, deciderPlace] = [agentPlaces.at(firstOrLast), deciderPlaces.at(firstOrLast)];
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

function freePlaces(taken: ReadonlySet<number>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => place).filter((place) => !taken.has(place));
}

function quotaExceeded(message: string): AppError {
  return new AppError('QUOTA_EXCEEDED', message);
}
