import { AppError, messageIdOf } from '@daycare/api';
import type { PermissionRequest } from './permission';

/** At most this many requests wait for a decision. */
export interface PendingLimits {
  readonly perAgent: number;
  readonly perDecider: number;
}

export const pendingLimits: PendingLimits = { perAgent: 5, perDecider: 20 };

/** The places that a pending request takes; no two pending requests have one of them in common. */
export interface PendingPlaces {
  /** Whatever is asked for: the same agent asks for it once at a time. */
  readonly key: string;
  /** Of the places of its agent. */
  readonly agentPlace: number;
  /** Of the places of the user who decides. */
  readonly deciderPlace: number;
}

type Wanted = Pick<PermissionRequest, 'agentId' | 'permission' | 'call'>;

/** What a pending request of the same decider takes. */
export type Taken = PendingPlaces & Pick<PermissionRequest, 'agentId'>;

export function keyOf({ agentId, permission, call }: Wanted): string {
  return call
    ? messageIdOf('pending-call', agentId, call.toolName, call.argumentsJson)
    : messageIdOf('pending-permission', agentId, permission);
}

/** Free places for a request, given what the other pending requests of its decider take. */
export function findPlaces(
  wanted: Wanted,
  taken: readonly Taken[],
  { perAgent, perDecider }: PendingLimits,
): PendingPlaces {
  const ofAgent = taken.filter(({ agentId }) => agentId === wanted.agentId);
  const agentPlace = firstFree(
    ofAgent.map(({ agentPlace: place }) => place),
    perAgent,
  );
  if (agentPlace === undefined)
    throw full(
      `You have ${perAgent} requests waiting for a decision; wait for one before asking again`,
    );
  const deciderPlace = firstFree(
    taken.map(({ deciderPlace: place }) => place),
    perDecider,
  );
  if (deciderPlace === undefined)
    throw full(
      `${perDecider} requests are already waiting for the user's decision; ask again later`,
    );
  return { key: keyOf(wanted), agentPlace, deciderPlace };
}

function firstFree(taken: readonly number[], count: number): number | undefined {
  return Array.from({ length: count }, (_, place) => place).find((place) => !taken.includes(place));
}

function full(message: string): AppError {
  return new AppError('QUOTA_EXCEEDED', message);
}
