import { AppError } from '@daycare/errors';
import {
  decideBudget,
  type BudgetDecision,
  type RequestBudget,
  type RequestLimits,
} from '../domain/request-budget';
import { pairOf, type Member } from '../domain/pair';
import { findEarlier, refuseReuse, remember } from '../domain/recent-request';
import { whoSees } from '../domain/sight';
import {
  isRefusal,
  noTie,
  type Change,
  type Decision,
  type Refusal,
  type TiePolicy,
} from '../domain/tie';
import type { Move } from '../domain/friendship';
import type { GoneUserStore } from '../store/gone-user-store';
import type { StoredTie } from '../store/tie-document';
import type { ChangeOutcome, TieChanges } from '../store/tie-changes';
import type { TieStore } from '../store/tie-store';
import { draftNotice, laneOf, type SubuserFacts } from './notice-draft';
import { callerGone, unknownNametag } from './people';

export interface ChangeTieDeps {
  readonly ties: TieStore;
  readonly changes: TieChanges;
  readonly policy: TiePolicy;
  readonly limits: RequestLimits;
  readonly gone: GoneUserStore;
  readonly forgetUser: (userId: string) => Promise<void>;
  readonly now: () => Date;
  readonly newId: () => string;
  /** Tells the relay that there is something to publish. */
  readonly wake: (lanes: readonly string[]) => void;
  /** Hints users that something they see has changed. */
  readonly hint: (userIds: readonly string[]) => void;
}

/** A call by one user about another that may change their tie. */
export interface TieCommand<A extends string> {
  readonly me: Member;
  readonly other: Member;
  readonly requestId: string;
  /** Names the call and all it depends on, so that a retry is told from a request id used twice. */
  readonly command: string;
  readonly decide: (move: Move) => Decision<A>;
  /** Whether this answer is a new request, which is limited. */
  readonly isNewRequest?: (answer: A) => boolean;
  readonly subuser?: SubuserFacts;
}

export interface TieAnswer<A extends string> {
  readonly answer: A;
}

export type ChangeTie = ReturnType<typeof makeChangeTie>;

const mostTries = 50;

/** Nobody knows when a request will be answered; looking again each hour is often enough. */
const pendingRetryMs = 60 * 60 * 1000;

/**
 * Load, decide, save, and again if somebody was faster: the version of the one document settles every
 * race. The change, what the other side hears of it and the memory of the request are one write.
 */
export function makeChangeTie(deps: ChangeTieDeps) {
  return async <A extends string>(command: TieCommand<A>): Promise<TieAnswer<A> | Refusal> => {
    const { pair, me } = pairOf(command.me, command.other);
    for (let tries = 0; tries < mostTries; tries += 1) {
      const stored = (await deps.ties.find(pair.id)) ?? {
        pair,
        tie: noTie,
        recent: [],
        version: 0,
      };
      const earlier = findEarlier(stored.recent, me, command.requestId, command.command);
      if (earlier) {
        await refuseGone(deps, command);
        return { answer: earlier.answer as A };
      }
      const now = deps.now();
      const decision = command.decide({ tie: stored.tie, me, policy: deps.policy, now });
      // What must look absent looks so under every request id.
      if (!isAbsent(decision)) refuseReuse(stored.recent, me, command.requestId);
      if (isRefusal(decision)) return decision;
      const outcome = await save(deps, command, stored, decision, now);
      if (outcome === 'saved') {
        await refuseGone(deps, command);
        return { answer: decision.answer };
      }
      if (outcome !== 'lost-race') throw overLimit(outcome, now);
    }
    throw new AppError('CONFLICT', 'Too many calls about the same two users; try again');
  };
}

function isAbsent(decision: Decision): boolean {
  return isRefusal(decision) && decision.refused === 'no_share';
}

async function save<A extends string>(
  deps: ChangeTieDeps,
  { me, other, requestId, command, isNewRequest, subuser }: TieCommand<A>,
  stored: StoredTie,
  { tie, answer, notice: kind, share }: Change<A>,
  now: Date,
): Promise<ChangeOutcome> {
  const by = pairOf(me, other).me;
  const recent = remember(stored.recent, {
    by,
    id: requestId,
    command,
    answer,
    at: now,
  });
  const facts = {
    id: deps.newId(),
    actor: me,
    recipient: other,
    share,
    ...(subuser && { subuser }),
  };
  const notices = kind ? [draftNotice({ ...facts, kind })] : [];
  const isRequest = isNewRequest?.(answer) ?? false;
  // A request that is not told takes as long as one that is: blocking must not show.
  const untold = isRequest && !kind ? [draftNotice({ ...facts, kind: 'friend_requested' })] : [];
  const { userId } = me;
  const decide = (budget: RequestBudget, pendingOut: number): BudgetDecision =>
    decideBudget(budget, pendingOut, deps.limits, now);
  const outcome = await deps.changes.save({
    tie: { ...stored, tie: tie ?? stored.tie, recent },
    notices,
    untold,
    ...(isRequest && { request: { userId, now, countUpTo: deps.limits.pending, decide } }),
  });
  if (outcome === 'saved' && kind) deps.wake([laneOf(me.userId, other.userId)]);
  if (outcome === 'saved' && tie) deps.hint(whoSees(stored.pair, stored.tie, tie));
  return outcome;
}

/**
 * A user may be deleted while a call about it is under way. The deletion marks the user before it
 * sweeps: a tie saved before the sweep is swept, one saved after it finds the mark here. A process that
 * dies in between leaves the tie to `sweepGoneUsers`.
 */
async function refuseGone<A extends string>(
  { gone, forgetUser }: ChangeTieDeps,
  { me, other }: TieCommand<A>,
): Promise<void> {
  const userId = await gone.findAny([me.userId, other.userId]);
  if (userId === undefined) return;
  await forgetUser(userId);
  throw userId === me.userId ? callerGone() : unknownNametag();
}

function overLimit(outcome: Exclude<ChangeOutcome, 'saved' | 'lost-race'>, now: Date): AppError {
  if (outcome.exceeded === 'pending') {
    const quota = { subject: 'caller', description: 'friend requests waiting for an answer' };
    return new AppError('QUOTA_EXCEEDED', 'Too many friend requests are waiting for an answer', {
      quota,
      retryAfterMs: pendingRetryMs,
    });
  }
  const quota = { subject: 'caller', description: 'new friend requests per hour' };
  const retryAfterMs = outcome.allowedAt.getTime() - now.getTime();
  return new AppError('QUOTA_EXCEEDED', 'Too many new friend requests in one hour', {
    quota,
    retryAfterMs,
  });
}
