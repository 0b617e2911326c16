import type { MessageDraft, RowTie } from '@daycare/messaging';
import type { DeletedUserStore, ForgetUser } from '@daycare/service-kit';
import type { Member } from '../domain/tie/pair';
import { affectedMembers } from '../domain/visibility';
import { noTie, otherSide, type Share, type Side } from '../domain/tie/tie';
import type { TieChanges } from '../store/tie-changes';
import type { StoredTie } from '../store/tie-document';
import type { TieStore } from '../store/tie-store';
import { draftClosing, draftNotice } from './notice-draft';

export interface ForgetUserDeps {
  readonly ties: TieStore;
  readonly changes: TieChanges;
  readonly deletedUsers: DeletedUserStore;
  /** Ends the accepted messages that earlier versions of a tie allowed. */
  readonly endTie: (tie: RowTie) => Promise<void>;
  readonly now: () => Date;
  /** Notifies the watchers of these users that their topology has changed. */
  readonly hint: (userIds: readonly string[]) => void;
}

const batchSize = 100;

/**
 * Ends a deleted user's ties, or a deleted subuser's shares, and notifies the friends. It can be repeated and run
 * by two replicas concurrently without sending a notice twice.
 */
export function makeForgetUser(deps: ForgetUserDeps): ForgetUser {
  return async (userId) => {
    // The user's id is stored first, so that a call that saves a tie too late to be found here finds the id; see
    // `assertNotDeleted` in change-tie.ts.
    await deps.deletedUsers.add(userId, deps.now());
    await endAll(
      () => deps.ties.findByMember(userId, batchSize),
      (tie) => endTie(deps, tie, userId),
    );
    await endAll(
      () => deps.ties.findBySharedSubuser(userId, batchSize),
      (tie) => endShare(deps, tie, userId),
    );
  };
}

/** Ends ties batch by batch until none is left; a tie that changed in between is found again. */
async function endAll(
  findBatch: () => Promise<readonly StoredTie[]>,
  end: (tie: StoredTie) => Promise<void>,
): Promise<void> {
  for (let batch = await findBatch(); batch.length > 0; batch = await findBatch()) {
    for (const tie of batch) await end(tie);
  }
}

async function endTie(deps: ForgetUserDeps, stored: StoredTie, userId: string): Promise<void> {
  const deletedSide: Side = stored.pair.low.userId === userId ? 'low' : 'high';
  const isFriend = stored.tie.bond.kind === 'friends';
  const version = stored.version + 1;
  const outcome = await deps.changes.remove(
    stored,
    isFriend ? notice(stored, deletedSide, 'friend_removed', undefined) : undefined,
    draftClosing(stored.pair, version, 'tie'),
  );
  if (outcome === 'saved') await deps.endTie({ id: stored.pair.id, version });
  deps.hint(affectedMembers(stored.pair, stored.tie, noTie));
}

async function endShare(deps: ForgetUserDeps, stored: StoredTie, subuserId: string): Promise<void> {
  const [share] = stored.tie.shares.filter((current) => current.subuserId === subuserId);
  if (!share) return;
  const shares = stored.tie.shares.filter((current) => current !== share);
  const tie = { ...stored.tie, shares };
  const version = stored.version + 1;
  const outcome = await deps.changes.save({
    tie: { ...stored, tie },
    notice: notice(stored, share.owner, 'share_revoked', share),
    closing: draftClosing(stored.pair, version, { subuserId }),
  });
  if (outcome === 'saved') await deps.endTie({ id: stored.pair.id, version, subuserId });
  deps.hint(affectedMembers(stored.pair, stored.tie, tie));
}

/** Drafts the notice. Its id is derived from the version that is ended, so concurrent attempts deliver it only once. */
function notice(
  { pair, version }: StoredTie,
  actorSide: Side,
  kind: 'friend_removed' | 'share_revoked',
  share: Share | undefined,
): MessageDraft {
  const actor: Member = pair[actorSide];
  const recipient: Member = pair[otherSide[actorSide]];
  return draftNotice({ pair, version: version + 1, kind, actor, recipient, share });
}
