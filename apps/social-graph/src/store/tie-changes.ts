import { AppError } from '@daycare/api';
import type { MessageDraft, OutboxStore } from '@daycare/messaging';
import { maxOpenClosings, maxOpenNotices, newestNotice } from '../domain/tie/notices';
import { otherSide } from '../domain/tie/tie';
import type { BudgetExceeded, BudgetStore, LimitedRequest } from './budget-store';
import { toStoredNotice } from './notice-rows';
import type { StoredNotice, StoredTie } from './tie-document';
import type { TieStore } from './tie-store';

export interface TieChange {
  readonly tie: StoredTie;
  /** The notice to the other side, stored with the change in one write. */
  readonly notice?: MessageDraft | undefined;
  /**
   * A notice on which agent-runtime drops the waiting messages that this change no longer allows; stored in the same
   * write.
   */
  readonly closing?: MessageDraft | undefined;
  /** A notice that is prepared but not stored, so that the call takes as many commands as if the notice were stored. */
  readonly suppressed?: MessageDraft | undefined;
  /** Set when the change is a new friend request, which counts towards the caller's limits. */
  readonly request?: LimitedRequest;
}

export type ChangeOutcome = 'saved' | 'lost-race' | BudgetExceeded;

export interface TieChangesDeps {
  readonly ties: TieStore;
  readonly budgets: BudgetStore;
  readonly outbox: Pick<OutboxStore, 'openTailOf' | 'source' | 'clock'>;
  /** How long a notice waits for its receipt before it is published again. */
  readonly republishAfterMs: number;
}

/** Saves a tie with its notice in one write. If the change is a new request, first reserves it in the budget. */
export class TieChanges {
  constructor(private readonly deps: TieChangesDeps) {}

  async save({ tie, notice, closing, suppressed, request }: TieChange): Promise<ChangeOutcome> {
    const { ties, budgets } = this.deps;
    const draft = notice ?? suppressed;
    // A notice that comes with a closing is not limited itself; closings have a much higher limit.
    if (draft && !closing) assertNoticeLimit(tie);
    if (closing) assertClosingLimit(tie);
    const [stored, exceeded] = await Promise.all([
      draft && this.#toStored(tie, draft, closing),
      request && budgets.reserve(request),
    ]);
    if (exceeded) return exceeded;
    if (await ties.save(tie, notice && stored, closing && this.#toClosing(closing))) return 'saved';
    if (request) await budgets.release(request);
    return 'lost-race';
  }

  /** Deletes a tie; its notices, including the one about its end, are still delivered. */
  async remove(
    tie: StoredTie,
    notice: MessageDraft | undefined,
    closing?: MessageDraft,
  ): Promise<ChangeOutcome> {
    const stored = notice && (await this.#toStored(tie, notice, closing));
    const isRemoved = await this.deps.ties.remove(tie, stored, closing && this.#toClosing(closing));
    return isRemoved ? 'saved' : 'lost-race';
  }

  /** A closing has no predecessors, so that it overtakes the messages that it ends. */
  #toClosing(draft: MessageDraft): StoredNotice {
    const { outbox, republishAfterMs } = this.deps;
    return toStoredNotice(draft, { to: 'low', outbox, republishAfterMs });
  }

  /** A notice waits for the messages in the outbox and the notices in the tie that precede it in its lane. */
  async #toStored(
    tie: StoredTie,
    draft: MessageDraft,
    closing?: MessageDraft,
  ): Promise<StoredNotice> {
    const { outbox, republishAfterMs } = this.deps;
    const isFromLow = tie.pair.low.userId === draft.senderUserId;
    const to = otherSide[isFromLow ? 'low' : 'high'];
    // The outbox is queried even if there is no tie, and therefore no message: otherwise the timing would reveal
    // whether a stranger has blocked the caller, since a block is stored as a tie. If the closing
    // cancels all messages of the tie, the notice does not wait for them, because they may never be published.
    const message = endsWholeTie(closing) ? undefined : await outbox.openTailOf(draft.lane);
    const newest = newestNotice(tie.notices, to);
    const predecessors = [message, newest].filter((id) => id !== undefined);
    return toStoredNotice({ ...draft, predecessors }, { to, outbox, republishAfterMs });
  }
}

/** Reports whether a closing ends all messages of the tie, not only those to and from one shared subuser. */
function endsWholeTie(closing: MessageDraft | undefined): boolean {
  return closing?.tie?.subuserId === '';
}

function assertNoticeLimit({ notices = [] }: StoredTie): void {
  if (notices.filter(({ closes }) => !closes).length >= maxOpenNotices) throw tooManyNotices();
}

/** In practice, only a user who keeps blocking and unblocking while closings cannot be delivered reaches this limit. */
function assertClosingLimit({ notices = [] }: StoredTie): void {
  if (notices.filter(({ closes }) => closes).length >= maxOpenClosings) throw tooManyNotices();
}

function tooManyNotices(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many notices between these two users are waiting to be delivered; try again later',
  );
}
