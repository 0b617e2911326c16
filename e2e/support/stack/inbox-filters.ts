/** Rows in agent-runtime's inbox that some agent has not handled yet. */
export const waitingItems = { waitingFor: { $exists: true } };

/** Rows that are waiting for the first foreground agent of their user. */
export const unroutedMail = { unrouted: true };
