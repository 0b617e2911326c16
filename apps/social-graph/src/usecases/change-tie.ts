import { AppError } from '@daycare/api';
import type { MessageDraft, RowTie } from '@daycare/messaging';
import type { DeletedUserStore } from '@daycare/service-kit';
import { decideBudget, type RequestLimits } from '../domain/request-budget';
import { removableAt, versionBefore } from '../domain/tie/lifetime';
import type { Closing } from '../domain/tie/notices';
import { pairOf, type Member, type Pair } from '../domain/tie/pair';
import { assertIdUnused, findRetry, remember } from '../domain/tie/tie-requests';
import { affectedMembers } from '../domain/visibility';
import {
  isRefusal,
  noTie,
  type Change,
  type Decision,
  type NoticeKind,
  type Refusal,
  type TiePolicy,
} from '../domain/tie/tie';
import type { Move } from '../domain/friendship';
import type { SubuserFacts } from '../domain/sharing';
import type { LimitedRequest } from '../store/budget-store';
import { nextVersionOf, type StoredTie } from '../store/tie-document';
import type { ChangeOutcome, TieChanges } from '../store/tie-changes';
import type { TieStore } from '../store/tie-store';
import { countLookup, type Lookups } from './lookups';
import { draftClosing, draftNotice } from './notice-draft';
import { callerDeleted, unknownNametag } from './people';

export interface ChangeTieDeps {
  readonly ties: TieStore;
  readonly changes: TieChanges;
  readonly policy: TiePolicy;
  readonly limits: RequestLimits;
  readonly deletedUsers: DeletedUserStore;
  readonly forgetUser: (userId: string) => Promise<void>;
  /** Ends the accepted messages that earlier versions of a tie allowed. */
  readonly endTie: (tie: RowTie) => Promise<void>;
  /** Makes notices due for publication again. */
  readonly publishAgain: (noticeIds: readonly string[]) => Promise<void>;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: { warn(fields: object, text: string): void };
  /** Notifies the watchers of these users that their topology has changed. */
  readonly hint: (userIds: readonly string[]) => void;
}

/** The context of a call, in addition to its arguments. */
export interface TieCallContext {
  readonly requestId: string;
  /** The trace of the call, which continues where its notice is handled. */
  readonly traceparent?: string | undefined;
  readonly lookups?: Lookups | undefined;
}

/** A call by one user, naming another, that may change their tie. */
export interface TieCommand<A extends string> extends TieCallContext {
  readonly me: Member;
  readonly other: Member;
  /** The call with its arguments, so that a retry can be distinguished from a reused request id. */
  readonly command: string;
  readonly decide: (move: Move) => Decision<A>;
  /** Whether this answer stands for a new friend request, which counts towards the limits. */
  readonly isNewRequest?: (answer: A) => boolean;
  readonly subuser?: SubuserFacts;
}

export interface TieAnswer<A extends string> {
  readonly answer: A;
}

export type ChangeTie = ReturnType<typeof makeChangeTie>;

const maxTries = 50;

/** The suggested delay when too many requests are pending; a guess, because it is unknown when one will be answered. */
const pendingRetryMs = 60 * 60 * 1000;

/**
 * Loads, decides and saves, and starts again when another call changed the tie in between. A tie is one
 * document, whose version decides every race. The change, its notice and the remembered request are saved in
 * one write.
 */
export function makeChangeTie(deps: ChangeTieDeps) {
  return async <A extends string>(command: TieCommand<A>): Promise<TieAnswer<A> | Refusal> => {
    const { pair, me } = pairOf(command.me, command.other);
    countLookup(command.lookups, 'reads');
    for (let tries = 0; tries < maxTries; tries += 1) {
      const stored = (await deps.ties.find(pair.id)) ?? newTie(pair, deps.now());
      const earlier = findRetry(stored.recent, me, command.requestId, command.command);
      if (earlier) {
        await assertNotDeleted(deps, command);
        await repeatClosings(deps, stored);
        return { answer: earlier.answer as A };
      }
      const now = deps.now();
      const decision = command.decide({ tie: stored.tie, me, policy: deps.policy, now });
      // A subuser that is not shared must look as if it did not exist, even if the request id was used before.
      if (!isAbsent(decision)) assertIdUnused(stored.recent, me, command.requestId);
      if (isRefusal(decision)) return decision;
      const outcome = await save(deps, command, stored, decision, now);
      if (outcome === 'saved') {
        await assertNotDeleted(deps, command);
        return { answer: decision.answer };
      }
      if (outcome !== 'lost-race') throw overLimit(outcome, now);
    }
    throw new AppError('CONFLICT', 'Too many concurrent calls for the same two users; try again');
  };
}

function newTie(pair: Pair, now: Date): StoredTie {
  return { pair, tie: noTie, recent: [], version: 0, versionBefore: versionBefore(now) };
}

function isAbsent(decision: Decision): boolean {
  return isRefusal(decision) && decision.refused === 'no_share';
}

async function save<A extends string>(
  deps: ChangeTieDeps,
  { me, other, requestId, command, isNewRequest, subuser, traceparent }: TieCommand<A>,
  stored: StoredTie,
  { tie, answer, notice: kind, share, closes }: Change<A>,
  now: Date,
): Promise<ChangeOutcome> {
  const version = nextVersionOf(stored);
  const by = pairOf(me, other).me;
  const recent = remember(stored.recent, {
    by,
    id: requestId,
    command,
    answer,
    at: now,
  });
  const draft = (noticeKind: NoticeKind): MessageDraft =>
    draftNotice({
      pair: stored.pair,
      version,
      kind: noticeKind,
      actor: me,
      recipient: other,
      share,
      traceparent,
      ...(subuser && { subuser }),
    });
  const content = { tie: tie ?? stored.tie, recent };
  const isRequest = isNewRequest?.(answer) ?? false;
  const outcome = await deps.changes.save({
    tie: { ...stored, ...content, emptyAt: removableAt({ ...content, version }, deps.policy) },
    notice: kind && draft(kind),
    closing: closes && draftClosing(stored.pair, version, closes),
    // A request without a notice must take as long as one with a notice, or the timing would reveal a block.
    suppressed: isRequest && !kind ? draft('friend_requested') : undefined,
    ...(isRequest && { request: toLimitedRequest(deps, me, stored, now) }),
  });
  if (outcome !== 'saved') return outcome;
  if (tie) deps.hint(affectedMembers(stored.pair, stored.tie, tie));
  if (closes) await endMessages(deps, stored.pair, { version, ...subuserIn(closes) });
  return outcome;
}

function subuserIn(closes: NonNullable<Change['closes']>): Pick<Closing, 'subuserId'> {
  return closes === 'tie' ? {} : closes;
}

/**
 * Ends the messages covered by a closing. A failure is only logged: agent-runtime drops the messages if they arrive,
 * and the relay repeats this step before it publishes the closing again.
 */
async function endMessages({ endTie, log }: ChangeTieDeps, { id }: Pair, closing: Closing) {
  await endTie({ id, ...closing }).catch((err: unknown) =>
    log.warn(
      { err },
      'cannot drop the waiting messages of an ended tie or share; the relay retries each time it publishes the closing notice',
    ),
  );
}

/** Repeats the steps that follow the write of a closing, because the process of the first attempt may have died. */
async function repeatClosings(deps: ChangeTieDeps, { pair, notices = [] }: StoredTie) {
  const open = notices.flatMap(({ id, closes }) => (closes ? [{ id, closes }] : []));
  if (open.length === 0) return;
  for (const { closes } of open) await endMessages(deps, pair, closes);
  await deps.publishAgain(open.map(({ id }) => id));
}

function toLimitedRequest(
  { limits, newId }: ChangeTieDeps,
  { userId }: Member,
  { pair, version }: StoredTie,
  now: Date,
): LimitedRequest {
  return {
    userId,
    reservation: { id: newId(), at: now, pairId: pair.id, version },
    decide: (budget, pendingOut) => decideBudget(budget, pendingOut, limits, now),
  };
}

/**
 * A user may be deleted during a call that involves them. The deletion first stores the user's id in `deletedUsers`,
 * then removes the ties that it finds. A call that saves a tie too late to be found finds the id here. If the call's
 * process dies in between, the sweep of deleted users removes the tie.
 */
async function assertNotDeleted<A extends string>(
  { deletedUsers, forgetUser }: ChangeTieDeps,
  { me, other }: TieCommand<A>,
): Promise<void> {
  const userId = await deletedUsers.findAny([me.userId, other.userId]);
  if (userId === undefined) return;
  await forgetUser(userId);
  throw userId === me.userId ? callerDeleted() : unknownNametag();
}

function overLimit(outcome: Exclude<ChangeOutcome, 'saved' | 'lost-race'>, now: Date): AppError {
  if (outcome.exceeded === 'pending') {
    const quota = { subject: 'caller', description: 'pending friend requests' };
    return new AppError(
      'QUOTA_EXCEEDED',
      'Too many of your friend requests are pending; cancel one or wait for an answer',
      {
        quota,
        retryAfterMs: pendingRetryMs,
      },
    );
  }
  const quota = { subject: 'caller', description: 'new friend requests per hour' };
  const retryAfterMs = outcome.allowedAt.getTime() - now.getTime();
  return new AppError(
    'QUOTA_EXCEEDED',
    'Too many new friend requests in one hour; try again later',
    {
      quota,
      retryAfterMs,
    },
  );
}
