import type { Pair } from './pair';
import type { Side } from './tie';

/** A notice that a tie stores until the notice has a receipt. */
export interface OpenNotice {
  readonly id: string;
  readonly to: Side;
  /**
   * Set for a closing: a notice to the service that holds the inboxes, which then ends the messages that
   * earlier versions of the tie allowed.
   */
  readonly closes?: Closing;
}

/** Which messages ended with this version of the tie: those to one shared subuser, or all of them. */
export interface Closing {
  readonly version: number;
  readonly subuserId?: string;
}

/** More than a pair ever has open while delivery works; during an outage, this limits the size of the document. */
export const maxOpenNotices = 64;

/** Far above the limit for other notices, since ending something should always be possible. */
export const maxOpenClosings = 256;

const idPattern = /^tie-([^_]+)_([^_]+)-\d+(?:-closing)?$/;

/** Each version of a tie has at most one notice besides a closing, so a retried change has a notice with the same id. */
export function noticeIdOf({ low, high }: Pair, version: number): string {
  return `tie-${low.userId}_${high.userId}-${version}`;
}

/** A version that closes messages has a separate notice for the service that holds the inboxes. */
export function closingIdOf(pair: Pair, version: number): string {
  return `${noticeIdOf(pair, version)}-closing`;
}

/** Returns the id of the pair whose tie stores the notice; undefined for the id of any other message. */
export function pairIdOfNotice(noticeId: string): string | undefined {
  const [, low, high] = idPattern.exec(noticeId) ?? [];
  return low === undefined || high === undefined ? undefined : `${low}:${high}`;
}

/** Returns the id of one side's newest notice without a receipt. Each notice waits for the one before it. */
export function newestNotice(
  notices: readonly OpenNotice[] | undefined,
  to: Side,
): string | undefined {
  return notices?.findLast((notice) => notice.to === to && !notice.closes)?.id;
}
