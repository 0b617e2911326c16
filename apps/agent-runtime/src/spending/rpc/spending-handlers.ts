import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { Handlers } from '@daycare/rpc';
import type { Spending } from '../build';
import { requesterOf } from './requester-of';
import { readDimensions, readPeriod, toBudgetMessage, toUsageMessage } from './spending-messages';

export type SpendingUsecases = Pick<
  Spending,
  'currency' | 'getUsage' | 'listBudgets' | 'setBudget'
>;

/** The RPCs for the usage of model calls and its limits. */
export function spendingHandlers(
  usecases: SpendingUsecases,
): Handlers<typeof AgentRuntimeServiceService> {
  const { currency } = usecases;
  return {
    getUsage: async (request, { caller }) => {
      const call = {
        ...request,
        requester: requesterOf(caller),
        groupBy: readDimensions(request.groupBy),
      };
      const { rows, nextPageToken } = await usecases.getUsage(call);
      return { rows: rows.map(toUsageMessage), nextPageToken, currency };
    },
    setBudget: async ({ maxCostMicros: maxMicros, maxTokens, ...request }, { caller }) => {
      const limits = {
        ...(maxTokens === undefined ? {} : { maxTokens }),
        ...(maxMicros === undefined ? {} : { maxMicros }),
      };
      const period = readPeriod(request.period);
      const call = { ...request, ...limits, period, requester: requesterOf(caller) };
      const view = await usecases.setBudget(call);
      return { budget: view && toBudgetMessage(view) };
    },
    listBudgets: async ({ userId }, { caller }) => {
      const views = await usecases.listBudgets({ userId, requester: requesterOf(caller) });
      return { budgets: views.map(toBudgetMessage), currency };
    },
  };
}
