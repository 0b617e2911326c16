import { dayOf, type UsageReader } from '../../agents';
import { bringUpToDate } from '../domain/account';
import { monthStart } from '../domain/period';
import { correct, correctionsOf } from '../domain/recount';
import type { AccountStore } from '../store/account-store';

export interface RecountDeps {
  readonly accounts: Pick<AccountStore, 'change' | 'find'>;
  readonly usage: Pick<UsageReader, 'sumByAgent'>;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

/** Counts an owner's spending again, from the recorded calls. */
export interface RecountAccount {
  now(ownerUserId: string): Promise<void>;
  /** Starts a recount in the background, one at a time per owner. */
  soon(ownerUserId: string): void;
}

/** If none of this many tries is applied, the next reservation or settlement starts another recount. */
const maxTries = 5;

export function makeRecountAccount(deps: RecountDeps): RecountAccount {
  const underWay = new Set<string>();
  const recount = async (ownerUserId: string): Promise<void> => {
    for (let tries = 0; tries < maxTries; tries += 1)
      if (await recountOnce(ownerUserId, deps)) return;
  };
  return {
    now: recount,
    soon(ownerUserId) {
      if (underWay.has(ownerUserId)) return;
      underWay.add(ownerUserId);
      recount(ownerUserId)
        .catch((error: unknown) =>
          deps.log.warn({ err: error, ownerUserId }, 'recount of spending failed; retrying later'),
        )
        .finally(() => underWay.delete(ownerUserId));
    },
  };
}

/**
 * Reads the account first and the recorded calls afterwards. Calls that will still be settled in the account are left
 * out: those with an open reservation, and those reserved after the account was read. Returns false if another recount,
 * which may not have seen the same budgets, was applied in the meantime.
 */
async function recountOnce(
  ownerUserId: string,
  { accounts, usage, now }: RecountDeps,
): Promise<boolean> {
  const readAt = now();
  const read = await accounts.find(ownerUserId);
  if (!read) return true;
  // Brought up to the same time as the account that is corrected below.
  const account = bringUpToDate({ ...read, reservations: [] }, readAt);
  const toDay = dayOf(readAt);
  const filter = { ownerUserId, fromDay: monthStart(toDay), toDay };
  const open = read.reservations.map(({ number }) => number);
  const found = await usage.sumByAgent(filter, { open, after: read.lastReservation });
  const corrections = correctionsOf(account, found);
  const { recounts } = read;
  const isApplied = await accounts.change(ownerUserId, (before) => {
    const current = bringUpToDate(before, readAt);
    const account = correct(current, { corrections, readAt, recounts });
    return { account, result: before.recounts === recounts };
  });
  return isApplied ?? true;
}
