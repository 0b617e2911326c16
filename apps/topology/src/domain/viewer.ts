import { isForeign, type Trust } from '@daycare/api';

/** Who is calling. */
export interface Viewer {
  readonly userId: string;
  /** Set when an agent calls, unset for a person. */
  readonly agentId?: string | undefined;
  /** The owner, when the user is a subuser. */
  readonly parentUserId?: string | undefined;
  /** The number of agents in the chain that led to this call; unset when a person or client calls. */
  readonly hops?: number | undefined;
  /** The trust of the calling turn; unset when a person or client calls. */
  readonly trust?: Trust | undefined;
  /** Whether that turn has read something private. */
  readonly carriesPrivate?: boolean | undefined;
}

/** The trust of what the caller writes. Whoever receives it from an agent lowers it to `own`. */
export function trustOfWords({ agentId, trust }: Viewer): Trust {
  return trust ?? (agentId === undefined ? 'person' : 'own');
}

/** Who named a thing; absent when the user's own turns did. */
export interface Named {
  /** Who chose its name; absent when the user did. */
  readonly writtenBy?: Trust;
}

export function namedBy(caller: Viewer): Named {
  const writtenBy = trustOfWords(caller);
  return isForeign(writtenBy) ? { writtenBy } : {};
}

/** Whose limits the caller's things count against: a subuser's are its owner's. */
export function ownerOf({ userId, parentUserId }: Viewer): string {
  return parentUserId ?? userId;
}

/** A subuser is isolated: it has neither subusers nor friends. */
export function isSubuser({ parentUserId }: Viewer): boolean {
  return parentUserId !== undefined;
}
