import { UsageDimension, type UsageRow } from '@daycare/contracts/agent-runtime';
import { useState } from 'preact/hooks';
import { agentName, userName } from '../../data/agent-names';
import { useResource } from '../../data/resource';
import { now } from '../../ui/time/clock';
import { describeTrust } from '../../ui/describe-trust';
import { Select } from '../../ui/field';
import { formatCount } from '../../ui/format-count';
import { PageHead, Section } from '../../ui/layout';
import { TruncatedNotice, EmptyState, Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { BudgetSection } from './budget-section';
import { DayChart } from './day-chart';
import { formatMoney, formatTokens } from './money';
import { lastDays, readUsage, tokensOf, type Usage } from './usage-data';

const periods = [
  { value: '7', text: 'Last 7 days' },
  { value: '30', text: 'Last 30 days' },
  { value: '92', text: 'Last 92 days' },
];

const groupings = [
  { value: UsageDimension.AGENT, text: 'Agent' },
  { value: UsageDimension.MODEL, text: 'Model' },
  { value: UsageDimension.USER, text: 'Subuser' },
  { value: UsageDimension.FRIEND, text: 'Friend' },
  { value: UsageDimension.TRUST, text: 'Who started it' },
];

/** Tokens and cost of model calls, and budgets for them. */
export function UsagePage() {
  const [period, setPeriod] = useState('30');
  const days = lastDays(Number(period), new Date(now.peek()));
  const span = { fromDay: days[0] ?? '', toDay: days.at(-1) ?? '' };
  return (
    <>
      <PageHead
        title="Usage"
        about="Tokens and cost of model calls. Days begin at midnight UTC."
        actions={<Select label="Period" value={period} options={periods} onValue={setPeriod} />}
      />
      <ByDay key={`days ${period}`} days={days} span={span} />
      <ByGroup key={`groups ${period}`} span={span} />
      <BudgetSection />
    </>
  );
}

interface SpanProps {
  readonly span: { readonly fromDay: string; readonly toDay: string };
}

function ByDay({ days, span }: SpanProps & { readonly days: readonly string[] }) {
  const usage = useResource((signal) => readUsage(span, [UsageDimension.DAY], signal));
  return (
    <Loaded resource={usage} lines={2}>
      {({ rows, currency }) =>
        rows.length === 0 ? (
          <EmptyState title="No model calls yet">
            <p>Once your agents answer, their usage appears here, day by day.</p>
          </EmptyState>
        ) : (
          <>
            <Totals rows={rows} currency={currency} />
            <DayChart days={days} rows={rows} currency={currency} />
          </>
        )
      }
    </Loaded>
  );
}

function Totals({ rows, currency }: Pick<Usage, 'rows' | 'currency'>) {
  const sum = (value: (row: UsageRow) => number): number =>
    rows.reduce((total, row) => total + value(row), 0);
  const failed = sum(({ failedCalls }) => failedCalls);
  return (
    <dl class="figures">
      <div>
        <dt>Cost</dt>
        <dd>
          {formatMoney(
            sum(({ costMicros }) => costMicros),
            currency,
          )}
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{formatTokens(sum(tokensOf))}</dd>
      </div>
      <div>
        <dt>Calls</dt>
        <dd>
          {formatCount(sum(({ calls }) => calls))}
          {failed > 0 && <span class="muted small"> {formatCount(failed)} failed</span>}
        </dd>
      </div>
    </dl>
  );
}

function ByGroup({ span }: SpanProps) {
  const [dimension, setDimension] = useState<UsageDimension>(UsageDimension.AGENT);
  return (
    <Section
      title="Breakdown"
      actions={
        <Select label="Group by" value={dimension} options={groupings} onValue={setDimension} />
      }
    >
      <GroupTable key={dimension} dimension={dimension} span={span} />
    </Section>
  );
}

function GroupTable({ dimension, span }: SpanProps & { readonly dimension: UsageDimension }) {
  const usage = useResource((signal) => readUsage(span, [dimension], signal));
  return (
    <Loaded resource={usage} lines={2}>
      {({ rows, hasMore, currency }) => (
        <>
          <Table
            caption="Usage"
            rows={[...rows].sort(
              (one, other) => other.costMicros - one.costMicros || tokensOf(other) - tokensOf(one),
            )}
            keyOf={(row) =>
              `${row.agentId} ${row.userId} ${row.model} ${row.trust} ${row.friendNametag}`
            }
            columns={columnsFor(dimension, currency)}
          />
          <TruncatedNotice items={rows} hasMore={hasMore} />
        </>
      )}
    </Loaded>
  );
}

function columnsFor(dimension: UsageDimension, currency: string): readonly Column<UsageRow>[] {
  return [
    {
      title: groupings.find(({ value }) => value === dimension)?.text ?? '',
      cell: (row) => nameOf(row, dimension),
    },
    { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
    {
      title: 'Input',
      isNumber: true,
      cell: ({ tokens }) => formatTokens(tokens?.inputTokens ?? 0),
    },
    {
      title: 'Output',
      isNumber: true,
      cell: ({ tokens }) => formatTokens(tokens?.outputTokens ?? 0),
    },
    { title: 'Cost', isNumber: true, cell: ({ costMicros }) => formatMoney(costMicros, currency) },
  ];
}

function nameOf(row: UsageRow, dimension: UsageDimension) {
  if (dimension === UsageDimension.MODEL) return row.model;
  if (dimension === UsageDimension.TRUST) return describeTrust(row.trust).text;
  if (dimension === UsageDimension.USER) return userName(row.userId);
  if (dimension === UsageDimension.FRIEND)
    return row.friendNametag || 'No friend, or a deleted subuser';
  if (row.agentId === '') return 'Agents of deleted subusers';
  return <a href={`/agents/${row.agentId}`}>{agentName(row.agentId)}</a>;
}
