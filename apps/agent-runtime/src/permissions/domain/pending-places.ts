import { AppError, isForeign, messageIdOf } from '@daycare/api';
import type { PermissionRequest } from './permission';

/** At most this many requests may wait for a decision. */
interface PendingLimits {
  readonly perAgent: number;
  readonly perDecider: number;
}

const allTurns: PendingLimits = { perAgent: 5, perDecider: 20 };
/** The part that foreign turns may take, so that they never use up the places of the user's own turns. */
const foreignTurns: PendingLimits = { perAgent: 3, perDecider: 12 };

/** The places that a pending request takes; no two pending requests share one. */
export interface PendingPlaces {
  /** Identifies the requested permission or call: an agent has one pending request for it at a time. */
  readonly key: string;
  /** One of the places of its agent. */
  readonly agentPlace: number;
  /** One of the places of the user who decides. */
  readonly deciderPlace: number;
}

type Wanted = Pick<PermissionRequest, 'agentId' | 'permission' | 'call' | 'askedIn'>;

/** The places of a pending request of the same decider. */
export type Taken = PendingPlaces & Pick<PermissionRequest, 'agentId'>;

export function keyOf({ agentId, permission, call }: Wanted): string {
  return call
    ? messageIdOf('pending-call', agentId, call.toolName, call.argumentsJson)
    : messageIdOf('pending-permission', agentId, permission);
}

/**
 * Free places for a request, given the places of the other pending requests of its decider. Turns of
 * guests and outsiders may use only the first places; the user's own turns take the last free ones.
 */
export function findPlaces(wanted: Wanted, taken: readonly Taken[]): PendingPlaces {
  const isByForeigner = wanted.askedIn !== undefined && isForeign(wanted.askedIn.trust);
  const { perAgent, perDecider } = isByForeigner ? foreignTurns : allTurns;
  const whose = isByForeigner ? ' from turns that others started' : '';
  const ofAgent = taken.filter(({ agentId }) => agentId === wanted.agentId);
  const agentPlaces = freeOf(new Set(ofAgent.map(({ agentPlace }) => agentPlace)), perAgent);
  const deciderPlaces = freeOf(new Set(taken.map(({ deciderPlace }) => deciderPlace)), perDecider);
  const chosen = isByForeigner ? 0 : -1;
  const [agentPlace, deciderPlace] = [agentPlaces.at(chosen), deciderPlaces.at(chosen)];
  if (agentPlace === undefined)
    throw full(
      `You already have ${perAgent} pending requests${whose}; wait for a decision before asking again`,
    );
  if (deciderPlace === undefined)
    throw full(`The user already has ${perDecider} pending requests${whose}; ask again later`);
  return { key: keyOf(wanted), agentPlace, deciderPlace };
}

function freeOf(taken: ReadonlySet<number>, count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => place).filter((place) => !taken.has(place));
}

function full(message: string): AppError {
  return new AppError('QUOTA_EXCEEDED', message);
}
