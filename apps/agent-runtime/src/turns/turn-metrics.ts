import { Counter } from 'prom-client';
import type { ServiceKit } from '@daycare/service-kit';
import type { HistoryEntry } from '../agents';

export interface TurnMetricsDeps {
  readonly metrics: Pick<ServiceKit['metrics'], 'registry'>;
  /** Models can call tools that do not exist; those are counted under one name. */
  readonly isTool: (name: string) => boolean;
}

type TurnOutcome = 'answered' | 'failed' | 'unfinished';

/** Counts turns, tool calls and compactions by outcome. Call the returned function with each stored entry. */
export function countTurns({ metrics, isTool }: TurnMetricsDeps): (entry: HistoryEntry) => void {
  const registers = [metrics.registry];
  const turns = new Counter({
    name: 'daycare_turns_total',
    help: 'Turns that have ended: answered, failed (a dead letter) or unfinished (stopped or ended by a limit)',
    labelNames: ['outcome'] as const,
    registers,
  });
  const calls = new Counter({
    name: 'daycare_tool_calls_total',
    help: 'Tool calls whose result was recorded',
    labelNames: ['tool', 'outcome'] as const,
    registers,
  });
  const compactions = new Counter({
    name: 'daycare_compactions_total',
    help: 'Contexts shortened by a summary, by leaving out the older part, or by an emergency reset',
    labelNames: ['outcome'] as const,
    registers,
  });
  return (entry) => {
    const shortened = shorteningOf(entry);
    if (shortened) compactions.inc({ outcome: shortened });
    const outcome = outcomeOf(entry);
    if (outcome) turns.inc({ outcome });
    for (const event of entry.events)
      if (event.kind === 'tool_result')
        calls.inc({
          tool: isTool(event.toolName) ? event.toolName : 'unknown',
          outcome: event.isError ? 'failed' : 'succeeded',
        });
  };
}

/** Undefined when the entry does not shorten the context. */
function shorteningOf({ events, call }: HistoryEntry): string | undefined {
  if (events.some((event) => event.kind === 'reset' && event.emergency)) return 'reset';
  if (!events.some(({ kind }) => kind === 'compaction')) return undefined;
  return call && !call.failedCalls ? 'summarised' : 'left_out';
}

/** Undefined when the entry ends no turn. */
function outcomeOf({ state: { settled, current }, events }: HistoryEntry): TurnOutcome | undefined {
  if (!settled || current) return undefined;
  if (settled.dead) return 'failed';
  if (settled.unfinished !== undefined || settled.stoppedTurn !== undefined) return 'unfinished';
  return events.some(({ kind }) => kind === 'assistant_message') ? 'answered' : undefined;
}
