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

/**
 * Returns the trust of text that the caller writes. For an agent's text, the recipient lowers it to at most `own`.
 */
export function trustOfText({ agentId, trust }: Viewer): Trust {
  return trust ?? (agentId === undefined ? 'person' : 'own');
}

/** An item whose name, target or pattern may have been chosen by a foreign turn. */
export interface Authored {
  /** The trust of the turn that chose it, if that is `guest` or `outside`; absent otherwise. */
  readonly writtenBy?: Trust;
}

export function authorOf(caller: Viewer): Authored {
  const writtenBy = trustOfText(caller);
  return isForeign(writtenBy) ? { writtenBy } : {};
}

/** Returns the user whose limits the caller's items count towards: the owner, if the caller is a subuser. */
export function ownerOf({ userId, parentUserId }: Viewer): string {
  return parentUserId ?? userId;
}

/** A subuser is isolated: it has neither subusers nor friends. */
export function isSubuser({ parentUserId }: Viewer): boolean {
  return parentUserId !== undefined;
}
