import type { Document } from 'mongodb';
import type { Due } from './rows/message-source';

export interface RepublishTiming {
  /** How long a published message waits for its receipt; doubles with every publication. */
  readonly republishAfterMs: number;
  readonly maxRepublishAfterMs: number;
}

/**
 * Returns expressions for the fields that claiming a message changes; `path` is the prefix of the message's fields.
 * After a reconnection, the delays start from the shortest again, as if the message had never been published.
 */
export function claimedFields(
  { now, republishBefore }: Due,
  claim: string,
  { republishAfterMs, maxRepublishAfterMs }: RepublishTiming,
  path: '$' | '$$this.',
): Document {
  const isBeforeReconnection = { $lt: [`${path}publishedAt`, republishBefore] };
  const earlierPublications = { $cond: [isBeforeReconnection, 0, `${path}publications`] };
  const wait = { $multiply: [republishAfterMs, { $pow: [2, earlierPublications] }] };
  return {
    claim,
    publishedAt: now,
    publications: { $add: [earlierPublications, 1] },
    nextAttemptAt: { $add: [now, { $min: [wait, maxRepublishAfterMs] }] },
  };
}
