/**
 * The tie that allows a message between two users, with the version that it had when the message was accepted. Also
 * represents a closing, i.e. the end of a tie or, if `subuserId` is set, of that subuser's share; `version` is then the
 * version that the tie got when it or the share ended.
 */
export interface MessageTie {
  readonly id: string;
  readonly version: number;
  /** The shared subuser that sends or receives the message; absent when neither user is a shared subuser. */
  readonly subuserId?: string;
  /**
   * The user whose budget the message counts against: the sender or the sender's owner. Absent in notices and closings.
   */
  readonly from?: string;
}

/**
 * What has ended between two users: messages accepted under a lower version than the one recorded here are no longer
 * allowed.
 */
export interface ClosedTie {
  readonly id: string;
  /** The version that ended the tie itself; 0 when only shares have ended. */
  readonly version: number;
  /** The versions that ended the shares of individual subusers, by subuser id. */
  readonly subusers: Readonly<Record<string, number>>;
}

/** Returns the closing of a message's tie, or of its subuser's share, that forbids the message, if there is one. */
export function closingOf(
  { id, version, subuserId }: MessageTie,
  closed: ClosedTie | undefined,
): MessageTie | undefined {
  if (!closed) return undefined;
  if (version < closed.version) return { id, version: closed.version };
  if (subuserId === undefined) return undefined;
  const shareVersion = closed.subusers[subuserId] ?? 0;
  return version < shareVersion ? { id, version: shareVersion, subuserId } : undefined;
}

/**
 * Returns a key that identifies a closing. The inbox rows of the messages that the closing dropped contain this key as
 * `droppedBy`.
 */
export function closingKey({ id, version, subuserId = '' }: MessageTie): string {
  return `${id}#${version}#${subuserId}`;
}
