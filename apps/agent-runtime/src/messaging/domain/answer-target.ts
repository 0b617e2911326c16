import type { StartedBy } from '../../agents';

/** The person who wrote to a gateway by its nametag, and the agent that did so for them, if any. */
export interface AnsweredWriter {
  readonly userId: string;
  /** Undefined when the person wrote directly, not through an agent. */
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
