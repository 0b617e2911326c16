/** The services that keep things of users and must hear when one is gone. */
export const servicesToTell = ['social-graph', 'agent-runtime', 'topology'] as const;

/** A user that is gone, told to one service. */
export interface DeletionNotice {
  /** The same for every try, so that it is stored and heard once. */
  readonly id: string;
  readonly service: (typeof servicesToTell)[number];
  readonly userId: string;
}

/** Who has to hear about deleted users: each service, of each of them. */
export function noticesOf(userIds: readonly string[]): DeletionNotice[] {
  return userIds.flatMap((userId) =>
    servicesToTell.map((service) => ({ id: `deleted-${userId}-${service}`, service, userId })),
  );
}
