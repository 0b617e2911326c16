import { messageIdOf } from '@daycare/api';
import type { Agent, RankForeground } from '../../agents';
import type { DeliverToAgent } from '../../messaging';
import type { ReservationOutcome } from '../domain/account';
import type { Budget } from '../domain/budget';
import { budgetReachedNotice } from '../domain/spending-wording';
import type { AccountStore } from '../store/account-store';

export interface NotifyDeps {
  readonly accounts: Pick<AccountStore, 'change'>;
  readonly rankForeground: RankForeground;
  readonly deliverToAgent: DeliverToAgent;
  readonly currency: string;
  readonly log: { warn(fields: object, text: string): void };
}

/** Notifies the person, once per period, that a budget is used up. Never fails: the turn ends with a note anyway. */
export type NotifyBudgetReached = (
  agent: Pick<Agent, 'userId' | 'ownerUserId'>,
  refusal: Extract<ReservationOutcome, { kind: 'refused' }>,
) => Promise<void>;

/**
 * The message is delivered before the account says so: after a crash in between it is delivered again, with
 * the same id, and the inbox has it already. It is silent, because a turn to answer it would need a budget.
 */
export function makeNotifyBudgetReached(deps: NotifyDeps): NotifyBudgetReached {
  return async ({ userId, ownerUserId = userId }, { budget, renewsAt }) => {
    if (budget.toldIn === budget.spentIn) return;
    try {
      const text = budgetReachedNotice(budget, renewsAt, deps.currency);
      if (await deliver(ownerUserId, budget, text, deps))
        await markNotified(ownerUserId, budget, deps);
    } catch (error) {
      deps.log.warn(
        { err: error, ownerUserId },
        'budget notice failed; retrying with the next turn',
      );
    }
  };
}

/** False without an agent that the person could read it from. */
async function deliver(
  ownerUserId: string,
  { id, spentIn, maxTokens, maxMicros }: Budget,
  text: string,
  { rankForeground, deliverToAgent }: NotifyDeps,
): Promise<boolean> {
  const [foreground] = await rankForeground(ownerUserId);
  if (!foreground) return false;
  await deliverToAgent(
    { agentId: foreground.id, userId: ownerUserId },
    {
      messageId: messageIdOf('budget', ownerUserId, id, spentIn, `${maxTokens} ${maxMicros}`),
      senderUserId: ownerUserId,
      origin: 'system',
      text,
      hops: 0,
      silent: true,
    },
  );
  return true;
}

async function markNotified(
  ownerUserId: string,
  { id, spentIn }: Budget,
  { accounts }: NotifyDeps,
): Promise<void> {
  await accounts.change(ownerUserId, (account) => ({
    account: {
      ...account,
      budgets: account.budgets.map((budget) =>
        budget.id === id && budget.spentIn === spentIn ? { ...budget, toldIn: spentIn } : budget,
      ),
    },
    result: undefined,
  }));
}
