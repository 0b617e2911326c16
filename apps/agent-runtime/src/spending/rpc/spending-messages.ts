import {
  BudgetPeriod,
  BudgetScope,
  UsageDimension,
  type Budget as BudgetMessage,
  type UsageRow as UsageRowMessage,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf, findWord } from '@daycare/contracts/enum-words';
import { invalidField } from '@daycare/api';
import { usageDimensions, type UsageDimension as Dimension, type UsageRow } from '../../agents';
import type { Period } from '../domain/period';
import type { BudgetView } from '../usecases/list-budgets';

const dimensions: Partial<Record<UsageDimension, Dimension>> = {
  [UsageDimension.DAY]: 'day',
  [UsageDimension.USER]: 'userId',
  [UsageDimension.AGENT]: 'agentId',
  [UsageDimension.MODEL]: 'model',
  [UsageDimension.TRUST]: 'trust',
  [UsageDimension.FRIEND]: 'friend',
};

/** Returns the dimensions to group by; all of them when the request names none. */
export function readDimensions(wanted: readonly UsageDimension[]): readonly Dimension[] {
  if (wanted.length === 0) return usageDimensions;
  return wanted.map((value, index) => {
    const dimension = dimensions[value];
    if (dimension) return dimension;
    throw invalidField(`group_by[${index}]`, 'must be day, user, agent, model, trust or friend');
  });
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
    // A correction may be applied before the calls that it corrects.
    spentTokens: Math.max(0, spent.tokens),
    spentCostMicros: Math.max(0, spent.micros),
    reservedTokens: reserved.tokens,
    reservedCostMicros: reserved.micros,
    renewsAt,
  };
}
