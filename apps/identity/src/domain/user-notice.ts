/** The services that store users' data and must be notified when a user is deleted. */
const notifiedServices = ['social-graph', 'agent-runtime', 'topology'] as const;

type Service = (typeof notifiedServices)[number];

/** A notice about a user to one service. */
export interface UserNotice {
  /** The same for every attempt, so that the notice is stored and delivered only once. */
  readonly id: string;
  readonly service: Service;
  readonly userId: string;
  /** The user's new name; undefined when the user was deleted. */
  readonly name?: string;
}

/** Returns one notice per deleted user and service. */
export function deletionNotices(userIds: readonly string[]): UserNotice[] {
  return userIds.flatMap((userId) =>
    notifiedServices.map((service) => ({ id: `deleted-${userId}-${service}`, service, userId })),
  );
}

/**
 * Returns the notices about a subuser's new name: to agent-runtime, which also renames the subuser's gateway agent, and
 * to social-graph, which shows the name to the friends with whom the subuser is shared.
 */
export function renameNotices(userId: string, name: string, renameId: string): UserNotice[] {
  const services = ['agent-runtime', 'social-graph'] as const;
  return services.map((service) => {
    const id = `renamed-${userId}-${renameId}-${service}`;
    return { id, service, userId, name };
  });
}

/**
 * There is one lane per service and user: notices about a user arrive in order, and do not delay those about others.
 */
export function noticeLane(service: string, userId: string): string {
  return `identity>${service}/${userId}`;
}
