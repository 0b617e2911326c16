import { AppError } from '@daycare/api';
import { updateShareFacts, type SubuserFacts } from '../../domain/sharing';
import type { StoredTie } from '../../store/tie-document';
import type { TieStore } from '../../store/tie-store';

export interface SyncSharedNamesDeps {
  readonly ties: Pick<TieStore, 'findBySharedSubuser' | 'save'>;
  /** Returns what friends may currently see of a subuser; undefined when it was deleted. */
  readonly describeSubuser: (subuserId: string) => Promise<SubuserFacts | undefined>;
}

export type SyncSharedNames = (subuserId: string) => Promise<void>;

const batchSize = 100;
const maxTries = 50;

/**
 * Brings a subuser's name and description up to date in all its shares. The ties are read before the name, and each is
 * saved only if it still has the version that was read, so an older name never replaces a newer one. Calls may
 * therefore be repeated, run concurrently and run in any order.
 */
export function makeSyncSharedNames(deps: SyncSharedNamesDeps): SyncSharedNames {
  return async (subuserId) => {
    let after: string | undefined = '';
    while (after !== undefined) after = await syncBatch(deps, subuserId, after);
  };
}

/**
 * Repeats until a read finds nothing outdated, since a tie is not saved if another call changed it after it was read.
 * Returns the id after which the next batch starts; undefined at the end, or if the subuser was deleted.
 */
async function syncBatch(
  { ties, describeSubuser }: SyncSharedNamesDeps,
  subuserId: string,
  after: string,
): Promise<string | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const batch = await ties.findBySharedSubuser(subuserId, batchSize, after);
    const facts = batch.length > 0 ? await describeSubuser(subuserId) : undefined;
    if (!facts) return undefined;
    const outdated = batch.flatMap((stored): StoredTie[] => {
      const tie = updateShareFacts(stored.tie, subuserId, facts);
      return tie ? [{ ...stored, tie }] : [];
    });
    if (outdated.length === 0) return batch.length < batchSize ? undefined : batch.at(-1)?.pair.id;
    await Promise.all(outdated.map((tie) => ties.save(tie)));
  }
  throw new AppError('CONFLICT', 'Too many concurrent changes to shares; try again');
}
