import { messageIdOf } from '@daycare/api';
import type { Agent, RankForeground } from '../../agents';
import type { DeliverToAgent } from '../../messaging';
import type { ReservationOutcome } from '../domain/account';
import type { Budget } from '../domain/budget';
import { budgetReachedNotice, unpricedNotice } from '../domain/spending-wording';
import type { AccountStore } from '../store/account-store';

export interface NotifyDeps {
  readonly accounts: Pick<AccountStore, 'change'>;
  readonly rankForeground: RankForeground;
  readonly deliverToAgent: DeliverToAgent;
  readonly currency: string;
  readonly log: { warn(fields: object, text: string): void };
}

/** How many models without a price a budget remembers, so that the account stays small. */
const maxUnpricedNotices = 100;

/** A call that was refused because a budget is used up, or because its model has no price to charge to a budget. */
export type Refusal = Extract<ReservationOutcome, { kind: 'refused' | 'unpriced' }>;

/**
 * Notifies the person that a budget is used up (once per period) or that it cannot be applied to a model (once per
 * period and model). Never rejects: a failure is only logged, because the turn ends with a note anyway.
 */
export type NotifyRefused = (
  agent: Pick<Agent, 'userId' | 'ownerUserId'>,
  refusal: Refusal,
  model: string,
) => Promise<void>;

/**
 * The message is delivered before the account records it. After a crash in between, it is delivered again with the same
 * id, and the inbox ignores it. It is silent, because a turn to answer it would need a budget.
 */
export function makeNotifyRefused(deps: NotifyDeps): NotifyRefused {
  return async ({ userId, ownerUserId = userId }, refusal, model) => {
    const { budget } = refusal;
    const isUnpriced = refusal.kind === 'unpriced';
    if (wasNotified(refusal, model)) return;
    try {
      const text = isUnpriced
        ? unpricedNotice(model, budget, deps.currency)
        : budgetReachedNotice(budget, refusal.renewsAt, deps.currency);
      const idSuffix = isUnpriced ? ` ${model}` : '';
      const isDelivered = await deliver(ownerUserId, budget, { text, idSuffix }, deps);
      if (isDelivered) await markNotified(ownerUserId, refusal, model, deps);
    } catch (error) {
      deps.log.warn(
        { err: error, ownerUserId },
        'cannot send a budget notice; retrying with the next refused call',
      );
    }
  };
}

/** Returns false if the person has no agent through which to read the notice. */
async function deliver(
  ownerUserId: string,
  { id, spentIn, maxTokens, maxMicros }: Budget,
  { text, idSuffix }: { readonly text: string; readonly idSuffix: string },
  { rankForeground, deliverToAgent }: NotifyDeps,
): Promise<boolean> {
  const [foreground] = await rankForeground(ownerUserId);
  if (!foreground) return false;
  await deliverToAgent(
    { agentId: foreground.id, userId: ownerUserId },
    {
      messageId: messageIdOf(
        'budget',
        ownerUserId,
        id,
        spentIn,
        `${maxTokens} ${maxMicros}${idSuffix}`,
      ),
      senderUserId: ownerUserId,
      origin: 'system',
      text,
      hops: 0,
      silent: true,
    },
  );
  return true;
}

function wasNotified({ kind, budget }: Refusal, model: string): boolean {
  return kind === 'unpriced'
    ? budget.unpricedNotices?.includes(model) === true
    : budget.toldIn === budget.spentIn;
}

async function markNotified(
  ownerUserId: string,
  { kind, budget: { id, spentIn } }: Refusal,
  model: string,
  { accounts }: NotifyDeps,
): Promise<void> {
  const mark = ({ unpricedNotices = [] }: Budget): Partial<Budget> =>
    kind === 'unpriced'
      ? { unpricedNotices: [...unpricedNotices, model].slice(-maxUnpricedNotices) }
      : { toldIn: spentIn };
  await accounts.change(ownerUserId, (account) => ({
    account: {
      ...account,
      budgets: account.budgets.map((budget) =>
        budget.id === id && budget.spentIn === spentIn ? { ...budget, ...mark(budget) } : budget,
      ),
    },
    result: undefined,
  }));
}
