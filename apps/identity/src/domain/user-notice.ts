/** The services that keep things of users and must hear when one is gone. */
export const servicesToTell = ['social-graph', 'agent-runtime', 'topology'] as const;

type Service = (typeof servicesToTell)[number];

/** Something that one service has to hear of a user. */
export interface UserNotice {
  /** The same for every try, so that it is stored and heard once. */
  readonly id: string;
  readonly service: Service;
  readonly userId: string;
  /** What the user is called from now on; undefined when it is gone. */
  readonly name?: string;
}

/** Who has to hear about deleted users: each service, of each of them. */
export function deletionNotices(userIds: readonly string[]): UserNotice[] {
  return userIds.flatMap((userId) =>
    servicesToTell.map((service) => ({ id: `deleted-${userId}-${service}`, service, userId })),
  );
}

/**
 * Who has to hear of a new name: agent-runtime, which keeps it, and social-graph, which knows whom it is
 * shown to.
 */
export function renameNotices(userId: string, name: string, renameId: string): UserNotice[] {
  const services = ['agent-runtime', 'social-graph'] as const;
  return services.map((service) => {
    const id = `renamed-${userId}-${renameId}-${service}`;
    return { id, service, userId, name };
  });
}

/** What one service hears comes in the order in which it happened. */
export function laneTo(service: string): string {
  return `identity>${service}`;
}
