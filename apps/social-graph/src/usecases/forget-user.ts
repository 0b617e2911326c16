import { attemptEach } from '@daycare/service-kit';
import type { MessageDraft } from '@daycare/messaging';
import type { Member } from '../domain/pair';
import { whoSees } from '../domain/sight';
import { noTie, otherSide, type Share, type Side } from '../domain/tie';
import type { GoneUserStore } from '../store/gone-user-store';
import type { TieChanges } from '../store/tie-changes';
import type { StoredTie } from '../store/tie-document';
import type { TieStore } from '../store/tie-store';
import { draftNotice, laneOf } from './notice-draft';

export interface ForgetUserDeps {
  readonly ties: TieStore;
  readonly changes: TieChanges;
  readonly gone: GoneUserStore;
  readonly now: () => Date;
  readonly wake: (lanes: readonly string[]) => void;
  /** Hints users that something they see has changed. */
  readonly hint: (userIds: readonly string[]) => void;
}

const batch = 100;
const sweptAgainForMs = 15 * 60 * 1000;

/**
 * Ends all that was between a deleted user and others: its ties as a user, its shares as a subuser.
 * Friends hear of it. Done again, or by two replicas, it finds less to do and repeats no notice.
 */
export function makeForgetUser(deps: ForgetUserDeps) {
  return async (userId: string): Promise<void> => {
    // First, so that a call that saves a tie after the sweep finds out: see `changeTie`.
    await deps.gone.add(userId, deps.now());
    await endAll(
      () => deps.ties.findSomeOf(userId, batch),
      (tie) => endTie(deps, tie, userId),
    );
    await endAll(
      () => deps.ties.findSomeSharing(userId, batch),
      (tie) => endShare(deps, tie, userId),
    );
  };
}

/**
 * Sweeps again what was deleted of late, for calls that saved a tie and died before they could find out
 * that it was too late. To be run now and then by any replica.
 */
export function makeSweepGoneUsers(
  { gone, now }: Pick<ForgetUserDeps, 'gone' | 'now'>,
  forgetUser: (userId: string) => Promise<void>,
) {
  return async (): Promise<void> => {
    await attemptEach(await gone.listMarkedWithin(sweptAgainForMs, now()), forgetUser);
  };
}

/** Batch by batch until none is left; one that somebody else changed meanwhile comes up again. */
async function endAll(
  findSome: () => Promise<readonly StoredTie[]>,
  end: (tie: StoredTie) => Promise<void>,
): Promise<void> {
  for (let some = await findSome(); some.length > 0; some = await findSome()) {
    for (const tie of some) await end(tie);
  }
}

async function endTie(deps: ForgetUserDeps, stored: StoredTie, userId: string): Promise<void> {
  const gone: Side = stored.pair.low.userId === userId ? 'low' : 'high';
  const isFriend = stored.tie.bond.kind === 'friends';
  const notices = isFriend ? [notice(stored, gone, 'friend_removed', undefined)] : [];
  await deps.changes.remove(stored, notices);
  wakeFor(deps, notices);
  deps.hint(whoSees(stored.pair, stored.tie, noTie));
}

async function endShare(deps: ForgetUserDeps, stored: StoredTie, subuserId: string): Promise<void> {
  const ended = stored.tie.shares.filter((share) => share.subuserId === subuserId);
  const shares = stored.tie.shares.filter((share) => share.subuserId !== subuserId);
  const notices = ended.map((share) => notice(stored, share.owner, 'share_revoked', share));
  const tie = { ...stored.tie, shares };
  await deps.changes.save({ tie: { ...stored, tie }, notices });
  wakeFor(deps, notices);
  deps.hint(whoSees(stored.pair, stored.tie, tie));
}

/** One id per thing that ended, so that ending it twice is heard once. */
function notice(
  { pair, version }: StoredTie,
  actorSide: Side,
  kind: 'friend_removed' | 'share_revoked',
  share: Share | undefined,
): MessageDraft {
  const actor: Member = pair[actorSide];
  const recipient: Member = pair[otherSide[actorSide]];
  const id = `gone-${pair.id.replace(':', '-')}-${version}-${share?.subuserId ?? 'tie'}`;
  return draftNotice({ id, kind, actor, recipient, share });
}

function wakeFor({ wake }: ForgetUserDeps, notices: readonly MessageDraft[]): void {
  wake(notices.map(({ senderUserId, recipient }) => laneOf(senderUserId ?? '', recipient.userId)));
}
