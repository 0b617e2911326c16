import type { StartedBy } from '../../agents';

/**
 * The user who wrote to a gateway by the nametag of its subuser, and the agent that wrote for that user, if one did.
 */
export interface AnsweredWriter {
  readonly userId: string;
  /** Undefined when the user wrote in person. */
  readonly agentId: string | undefined;
}

/** Reports whether an origin names someone who wrote by nametag, i.e. is `friend:<nametag>` or `owner:<nametag>`. */
export function isWriterOrigin(origin: string): boolean {
  return origin.startsWith('friend:') || origin.startsWith('owner:');
}

/** Returns the writer whom a gateway's turn answers, if someone who wrote by nametag started that turn. */
export function answeredWriter({
  origin,
  senderUserId,
  sender,
}: StartedBy): AnsweredWriter | undefined {
  if (!isWriterOrigin(origin) || senderUserId === undefined) return undefined;
  return { userId: senderUserId, agentId: sender?.agentId };
}
