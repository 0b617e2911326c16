import type { UsageRow } from '@daycare/contracts/agent-runtime';
import { formatMoney, formatTokens } from './money';
import { tokensOf } from './usage-data';

interface DayChartProps {
  readonly days: readonly string[];
  readonly rows: readonly UsageRow[];
  readonly currency: string;
}

const size = { width: 800, height: 180, labelHeight: 36 };

/**
 * One bar per day: its cost or, if no day cost anything, its tokens. The table below has the same data for screen
 * readers.
 */
export function DayChart({ days, rows, currency }: DayChartProps) {
  const isMoney = rows.some(({ costMicros }) => costMicros > 0);
  const valueOf = (row: UsageRow): number => (isMoney ? row.costMicros : tokensOf(row));
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const highest = Math.max(0, ...rows.map(valueOf));
  const format = (value: number): string =>
    isMoney ? formatMoney(value, currency) : formatTokens(value);
  const step = size.width / days.length;
  return (
    <figure class="chart">
      <figcaption class="muted small">
        {isMoney ? 'Cost' : 'Tokens'} per day; the highest is {format(highest)}
      </figcaption>
      <svg viewBox={`0 0 ${size.width} ${size.height + size.labelHeight}`} aria-hidden="true">
        {days.map((day, index) => {
          const row = byDay.get(day);
          const height = row ? Math.max(2, (valueOf(row) / Math.max(1, highest)) * size.height) : 0;
          return (
            <g key={day}>
              <rect
                class="chart-bar"
                x={index * step + step * 0.12}
                y={size.height - height}
                width={step * 0.76}
                height={height}
                rx={Math.min(3, step / 4)}
              >
                <title>{`${day}: ${row ? format(valueOf(row)) : 'nothing'}`}</title>
              </rect>
              {isLabelled(index, days.length) && (
                <text
                  class="chart-label"
                  x={index * step + step / 2}
                  y={size.height + 8}
                  text-anchor="middle"
                  dominant-baseline="hanging"
                >
                  {day.slice(5)}
                </text>
              )}
            </g>
          );
        })}
        <line class="chart-axis" x1={0} x2={size.width} y1={size.height} y2={size.height} />
      </svg>
      <table class="hidden">
        <caption>{isMoney ? 'Cost' : 'Tokens'} per day</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.day}>
              <th scope="row">{row.day}</th>
              <td>{format(valueOf(row))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Reports whether a day has a label. About seven days have one, however many are shown. */
function isLabelled(index: number, count: number): boolean {
  return (count - 1 - index) % Math.max(1, Math.round(count / 7)) === 0;
}
