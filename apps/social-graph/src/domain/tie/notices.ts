import type { Pair } from './pair';
import type { Side } from './tie';

/** A notice that a tie stores until the notice has a receipt. */
export interface OpenNotice {
  readonly id: string;
  readonly to: Side;
  /**
   * Set for a closing: a notice to agent-runtime, which then drops the messages that earlier versions of the tie
   * allowed and that still wait in inboxes.
   */
  readonly closes?: Closing;
}

/** Which messages this version of the tie no longer allows: those to and from one shared subuser, or all of them. */
export interface Closing {
  readonly version: number;
  readonly subuserId?: string;
}

/** More than a pair normally has open while delivery works; during an outage, this limits the size of the document. */
export const maxOpenNotices = 64;

/** Far above the limit for other notices, since ending something should always be possible. */
export const maxOpenClosings = 256;

const idPattern = /^tie-([^_]+)_([^_]+)-\d+(?:-closing)?$/;

/**
 * Each version of a tie has at most one notice besides a closing, so a retried change has a notice with the same id.
 */
export function noticeIdOf({ low, high }: Pair, version: number): string {
  return `tie-${low.userId}_${high.userId}-${version}`;
}

/** The id of a version's closing, which is separate from its notice to the other side. */
export function closingIdOf(pair: Pair, version: number): string {
  return `${noticeIdOf(pair, version)}-closing`;
}

/** Returns the id of the pair whose tie stores the notice; undefined for the id of any other message. */
export function pairIdOfNotice(noticeId: string): string | undefined {
  const [, low, high] = idPattern.exec(noticeId) ?? [];
  return low === undefined || high === undefined ? undefined : `${low}:${high}`;
}

/**
 * Returns the id of the newest notice to one side that has no receipt, leaving out closings. The next notice or message
 * to that side waits for it.
 */
export function newestNotice(
  notices: readonly OpenNotice[] | undefined,
  to: Side,
): string | undefined {
  return notices?.findLast((notice) => notice.to === to && !notice.closes)?.id;
}
