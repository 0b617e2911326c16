import {
  BudgetPeriod,
  BudgetScope,
  UsageDimension,
  type Budget as BudgetMessage,
  type UsageRow as UsageRowMessage,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf, findWord, type EnumWord } from '@daycare/contracts/enum-words';
import { requireWord } from '@daycare/rpc';
import { usageDimensions, type UsageDimension as Dimension, type UsageRow } from '../../agents';
import type { Period } from '../domain/period';
import type { BudgetView } from '../usecases/list-budgets';

const dimensions: Readonly<Record<EnumWord<typeof UsageDimension>, Dimension>> = {
  day: 'day',
  user: 'userId',
  agent: 'agentId',
  model: 'model',
  trust: 'trust',
  friend: 'friend',
};

/** Returns the dimensions to group by; all of them when the request names none. */
export function readDimensions(wanted: readonly UsageDimension[]): readonly Dimension[] {
  if (wanted.length === 0) return usageDimensions;
  return wanted.map(
    (value, index) => dimensions[requireWord(UsageDimension, value, `group_by[${index}]`)],
  );
}

/** Returns undefined for a missing or unknown period, which the usecase reports along with other invalid fields. */
export function readPeriod(period: BudgetPeriod): Period | undefined {
  return findWord(BudgetPeriod, period);
}

export function toUsageMessage(row: UsageRow): UsageRowMessage {
  const { inputTokens, outputTokens, cachedInputTokens, trust, friend, ...facts } = row;
  return {
    ...facts,
    friendNametag: friend,
    trust: trust === '' ? Trust.UNSPECIFIED : enumOf(Trust, trust),
    tokens: { inputTokens, outputTokens, cachedInputTokens },
  };
}

export function toBudgetMessage({ budget, reserved, renewsAt }: BudgetView): BudgetMessage {
  const { scope, period, maxTokens, maxMicros, spent, setBy } = budget;
  return {
    scope: enumOf(BudgetScope, scope.kind),
    userId: scope.kind === 'owner' ? '' : scope.userId,
    agentId: scope.kind === 'agent' ? scope.agentId : '',
    period: enumOf(BudgetPeriod, period),
    maxTokens,
    maxCostMicros: maxMicros,
    setByOperator: setBy === 'operator',
    // A recount can subtract more than the budget has spent, e.g. if it was removed and set again during the recount.
    spentTokens: Math.max(0, spent.tokens),
    spentCostMicros: Math.max(0, spent.micros),
    reservedTokens: reserved.tokens,
    reservedCostMicros: reserved.micros,
    renewsAt,
  };
}
