import { createId } from '@daycare/api/create-id';
import type { Agent } from '../agents/domain/agent';
import { nextEntry, type HistoryEntry } from '../agents/domain/history-entry';
import type { CallUsage } from '../agents/domain/call-usage';
import type { Spending } from '../spending/build';
import type { PlannedCall } from '../spending/usecases/meter-calls';
import type { SetBudgetCall } from '../spending/usecases/set-budget';
import type { TestRuntime } from './test-runtime';

/** A model call that an agent is about to make, with an estimated input of 100 tokens. */
export function plannedCall(agent: Agent, overrides: Partial<PlannedCall> = {}): PlannedCall {
  return {
    agent,
    trust: 'person',
    fence: 1,
    provider: 'local',
    model: 'echo',
    estimateInput: async () => 100,
    ...overrides,
  };
}

/** A call that sets a daily token budget for a user and its subusers, or removes it if `maxTokens` is undefined. */
export function dailyBudget(
  userId: string,
  maxTokens: number | undefined,
  overrides: Partial<SetBudgetCall> = {},
): SetBudgetCall {
  return {
    requester: { kind: 'user', userId, parentUserId: undefined },
    requestId: createId(),
    userId: '',
    agentId: '',
    guests: false,
    period: 'day',
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...overrides,
  };
}

/** Stores the entry that records a call, as a turn does, without settling the call's reservation. */
export async function recordCall(
  { history }: TestRuntime,
  agent: Agent,
  call: CallUsage,
  at = new Date(),
): Promise<HistoryEntry> {
  const head = (await history.findHead(agent.id))!;
  const step = { events: [], current: undefined, call };
  const entry = nextEntry(head, step, { holder: 'r', fence: 1 }, at);
  await history.append(entry);
  return entry;
}

/** The usage of a call; 100 tokens by default. */
export function callUsage(agent: Agent, overrides: Partial<CallUsage> = {}): CallUsage {
  return {
    ownerUserId: agent.ownerUserId ?? agent.userId,
    model: 'local/echo',
    trust: 'person',
    turn: 1,
    latencyMs: 20,
    inputTokens: 60,
    outputTokens: 40,
    cachedInputTokens: 0,
    costMicros: 7,
    failedCalls: 0,
    estimatedCalls: 0,
    reservation: 0,
    ...overrides,
  };
}

/** The spent and reserved tokens of each of a user's budgets. */
export async function budgetsOf(spending: Spending, userId: string) {
  const requester = { kind: 'user', userId, parentUserId: undefined } as const;
  const views = await spending.listBudgets({ requester, userId: '' });
  return views.map(({ budget, reserved }) => ({
    spent: budget.spent.tokens,
    reserved: reserved.tokens,
  }));
}
