/** The tie between two users that a message needs, as it was when the message was accepted. */
export interface MessageTie {
  readonly id: string;
  readonly version: number;
  /** The shared subuser that sends or receives the message; absent when neither user is a shared subuser. */
  readonly subuserId?: string;
  /** The user whose budget the message counts against: the sender or the sender's owner. Absent in notices. */
  readonly from?: string;
}

/** What has ended between two users: messages accepted under a lower version of their tie are no longer allowed. */
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

/** Returns the same key for every attempt to drop the messages that one closing forbids. */
export function closingKey({ id, version, subuserId = '' }: MessageTie): string {
  return `${id}#${version}#${subuserId}`;
}
