/** The tie between two users that a message needs, as it was when the message was accepted. */
export interface MessageTie {
  readonly id: string;
  readonly version: number;
  /** The shared subuser that sends or receives the message; absent between the two users themselves. */
  readonly subuserId?: string;
  /** The user whose budget the message counts against, its sender or that sender's owner; absent in notices. */
  readonly from?: string;
}

/** What has ended between two users: messages accepted under a lower version of their tie are no longer allowed. */
export interface ClosedTie {
  readonly id: string;
  /** The version that ends everything between them; 0 when only shares have ended. */
  readonly version: number;
  /** The versions that end the shares of single subusers, by id. */
  readonly subusers: Readonly<Record<string, number>>;
}

/**
 * The closing that ends a message, of its tie or of its subuser's share; undefined while the message is allowed.
 */
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

/** Equal for all attempts to drop the messages of one closing. */
export function closingKey({ id, version, subuserId = '' }: MessageTie): string {
  return `${id}#${version}#${subuserId}`;
}
