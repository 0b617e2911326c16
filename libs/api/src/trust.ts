/** The levels of trust, highest first. */
export const trustLevels = ['person', 'own', 'guest', 'outside'] as const;

/**
 * `person`: the user in person. `own`: the user's agents and schedules. `guest`: friends, their agents and
 * guests of a shared subuser. `outside`: anyone else.
 */
export type Trust = (typeof trustLevels)[number];

/** Returns the trust of a combination of sources: the lowest among them. */
export function lowestTrust(first: Trust, ...others: readonly Trust[]): Trust {
  return others.reduce((lowest, trust) => (rankOf(trust) > rankOf(lowest) ? trust : lowest), first);
}

/** Reports whether text of this trust came from someone other than the user and the user's agents. */
export function isForeign(trust: Trust): boolean {
  return rankOf(trust) >= rankOf('guest');
}

export function isTrust(value: unknown): value is Trust {
  return trustLevels.some((trust) => trust === value);
}

function rankOf(trust: Trust): number {
  return trustLevels.indexOf(trust);
}
