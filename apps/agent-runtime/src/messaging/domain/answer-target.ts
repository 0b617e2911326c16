import type { StartedBy } from '../../agents';

/** Someone who wrote to a gateway by its nametag: a person, or the agent that did so for them. */
export interface AnsweredWriter {
  readonly userId: string;
  /** Undefined when a person wrote. */
  readonly agentId: string | undefined;
}

/** Whether an origin names a person who wrote by nametag, `friend:<nametag>` or `owner:<nametag>`. */
export function isWriterOrigin(origin: string): boolean {
  return origin.startsWith('friend:') || origin.startsWith('owner:');
}

/** The writer whom a gateway's turn answers, if someone who wrote by nametag started that turn. */
export function answeredWriter({
  origin,
  senderUserId,
  sender,
}: StartedBy): AnsweredWriter | undefined {
  if (!isWriterOrigin(origin) || senderUserId === undefined) return undefined;
  return { userId: senderUserId, agentId: sender?.agentId };
}
