import { UsageDimension, type UsageRow } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf, type EnumWord } from '@daycare/contracts/enum-words';
import { InvalidArgumentError } from 'commander';
import { collect } from '../../client/rpc/pages';
import { toAmount } from '../../output/money';
import { tableView, type Column } from '../../output/table';
import { toWord } from '../../output/words';
import { defineCommand } from '../kit/command';
import { limitOption, onlyAgent, onlySubuser, type ForAgent, type Limited } from '../kit/options';

type Dimension = EnumWord<typeof UsageDimension>;

interface UsageOptions extends Limited, ForAgent {
  readonly from?: string;
  readonly to?: string;
  readonly subuser?: string;
  readonly by: readonly Dimension[];
}

const dimensionColumns: Readonly<Record<Dimension, Column<UsageRow>>> = {
  day: ['DAY', ({ day }) => day],
  user: ['USER', ({ userId }) => userId, 'id'],
  agent: ['AGENT', ({ agentId }) => agentId, 'id'],
  model: ['MODEL', ({ model }) => model],
  trust: ['TRUST', ({ trust }) => toWord(Trust, trust)],
  friend: ['FRIEND', ({ friendNametag }) => friendNametag],
};
const dimensions = Object.keys(dimensionColumns) as Dimension[];

export const usageCommand = defineCommand<UsageOptions>({
  name: 'usage',
  description: "show your agents' and subusers' model usage",
  options: [
    ['--from <day>', 'first day, in UTC (default: the first day of the month that --to is in)'],
    ['--to <day>', 'last day, in UTC (default: today)'],
    onlySubuser('show only usage by this subuser'),
    onlyAgent('show only usage by this agent'),
    [
      '--by <columns>',
      `what to group by: one or more of ${dimensions.join(', ')}, separated by commas`,
      { parse: parseDimensions, default: ['day', 'model'], defaultText: 'day,model' },
    ],
    limitOption,
  ],
  examples: [
    'usage',
    'usage --by agent,trust --from 2026-11-01 --to 2026-11-30',
    'usage --subuser cook --by day -o json',
    'usage --by friend',
  ],
  async run({ session, options: { limit, from, to, subuser, agent, by } }) {
    const { runtime } = await session();
    const request = {
      userId: subuser ?? '',
      agentId: agent ?? '',
      fromDay: from ?? '',
      toDay: to ?? '',
      groupBy: by.map((word) => enumOf(UsageDimension, word)),
    };
    let currency = '';
    const rows = await collect(limit, async (page) => {
      const response = await runtime.getUsage({ ...request, ...page });
      ({ currency } = response);
      return { items: response.rows, nextPageToken: response.nextPageToken };
    });
    const columns = dimensions
      .filter((dimension) => by.includes(dimension))
      .map((dimension) => dimensionColumns[dimension]);
    return tableView(rows, [...columns, ...sumColumns(currency)], 'No model usage.');
  },
});

function sumColumns(currency: string): readonly Column<UsageRow>[] {
  return [
    ['CALLS', ({ calls }) => calls],
    ['FAILED', ({ failedCalls }) => failedCalls],
    ['INPUT', ({ tokens }) => tokens?.inputTokens ?? 0],
    ['CACHED', ({ tokens }) => tokens?.cachedInputTokens ?? 0],
    ['OUTPUT', ({ tokens }) => tokens?.outputTokens ?? 0],
    [`COST ${currency}`, ({ costMicros }) => toAmount(costMicros)],
  ];
}

function parseDimensions(text: string): readonly Dimension[] {
  const words = text.split(',').map((word) => word.trim());
  const invalid = words.find((word) => !dimensions.some((dimension) => dimension === word));
  if (invalid === undefined) return words as Dimension[];
  throw new InvalidArgumentError(`Must be one or more of ${dimensions.join(', ')}.`);
}
