import { BudgetPeriod, BudgetScope, type Budget } from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import { InvalidArgumentError } from 'commander';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { readAmount, toAmount } from '../../output/money';
import { tableView, type Column } from '../../output/table';
import { textView } from '../../output/view';
import { toTime, toWord, toYesNo } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { onlyAgent, onlySubuser, parseNonNegative, type ForAgent } from '../kit/options';

interface BudgetOptions extends ForAgent {
  readonly period: 'day' | 'month';
  readonly subuser?: string;
  readonly guests?: boolean;
}

interface SetOptions extends BudgetOptions {
  readonly tokens?: number;
  readonly cost?: number;
}

const scopeOptions = [
  [
    '--period <period>',
    'how often the budget resets, at midnight UTC',
    { choices: ['day', 'month'], isRequired: true },
  ],
  onlySubuser('budget for this subuser only'),
  [
    '--guests',
    "budget for the subuser's turns that guests and outsiders start; requires --subuser",
  ],
  onlyAgent('budget for this agent only'),
] as const;

const list = defineCommand<{ subuser?: string }>({
  name: 'list',
  description: 'list your budgets and how much of each is used',
  options: [onlySubuser("list only this subuser's budgets")],
  examples: ['budget list', 'budget list -o json'],
  async run({ session, options: { subuser } }) {
    const { runtime } = await session();
    const { budgets, currency } = await runtime.listBudgets({ userId: subuser ?? '' });
    return tableView(budgets, columnsIn(currency), 'No budgets.');
  },
});

const set = defineCommand<SetOptions>({
  name: 'set',
  description: 'limit the tokens or the money that model calls may use per day or month',
  options: [
    ...scopeOptions,
    [
      '--tokens <count>',
      'maximum number of tokens, input and output together',
      { parse: parseNonNegative },
    ],
    ['--cost <amount>', 'maximum cost, e.g. 1.50', { parse: parseCost }],
  ],
  examples: [
    'budget set --period day --tokens 1000000',
    'budget set --period month --cost 20 --subuser cook',
    'budget set --period day --tokens 50000 --subuser cook --guests',
  ],
  async run({ session, options }) {
    const { tokens: maxTokens, cost: maxCostMicros } = options;
    if (maxTokens === undefined && maxCostMicros === undefined)
      throw new Failure(
        exitCodes.usage,
        'A budget needs --tokens, --cost or both.',
        'To remove a budget, use "daycare budget remove".',
      );
    const { runtime, requestIds } = await session();
    const { budget } = await runtime.setBudget({
      requestId: requestIds.next(),
      ...scopeOf(options),
      maxTokens,
      maxCostMicros,
    });
    const spent = `${budget?.spentTokens ?? 0} tokens have been spent since the ${options.period} began.`;
    return textView(`Set the budget; ${spent}`, budget);
  },
});

const remove = defineCommand<BudgetOptions>({
  name: 'remove',
  description: 'remove a budget',
  options: [...scopeOptions],
  examples: ['budget remove --period day', 'budget remove --period month --agent work'],
  async run({ session, options }) {
    const { runtime, requestIds } = await session();
    await runtime.setBudget({ requestId: requestIds.next(), ...scopeOf(options) });
    return textView('Removed the budget.', scopeOf(options));
  },
});

function scopeOf({ period, subuser, agent, guests = false }: BudgetOptions) {
  return {
    userId: subuser ?? '',
    agentId: agent ?? '',
    guests,
    period: enumOf(BudgetPeriod, period),
  };
}

function columnsIn(currency: string): readonly Column<Budget>[] {
  return [
    ['SCOPE', ({ scope }) => toWord(BudgetScope, scope)],
    ['ID', ({ userId, agentId }) => agentId || userId, 'id'],
    ['PERIOD', ({ period }) => toWord(BudgetPeriod, period)],
    ['TOKENS', ({ spentTokens, maxTokens }) => spentText(spentTokens, maxTokens)],
    [
      `COST ${currency}`,
      ({ spentCostMicros, maxCostMicros }) =>
        spentText(
          toAmount(spentCostMicros),
          maxCostMicros === undefined ? undefined : toAmount(maxCostMicros),
        ),
    ],
    ['RESERVED', ({ reservedTokens }) => reservedTokens],
    ['RENEWS', ({ renewsAt }) => toTime(renewsAt)],
    ['OPERATOR', ({ setByOperator }) => toYesNo(setByOperator)],
  ];
}

function spentText(spent: number | string, max: number | string | undefined): string {
  return max === undefined ? `${spent}` : `${spent} of ${max}`;
}

function parseCost(text: string): number {
  const micros = readAmount(text);
  if (micros !== undefined) return micros;
  throw new InvalidArgumentError('Must be an amount with at most six decimals, e.g. 1.50.');
}

export const budgetCommands: readonly AnyCommand[] = [list, set, remove];
