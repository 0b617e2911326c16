import type {
  AssistantMessageRecord,
  HistoryRecord,
  TokenUsage,
  ToolCall,
  ToolResultRecord,
  UserMessageRecord,
} from '@daycare/contracts/agent-runtime';

export interface ShownCall {
  readonly call: ToolCall;
  /** Undefined while the call is running. */
  readonly result: ToolResultRecord | undefined;
}

/**
 * One row of a history on the page. A tool result is part of the row of the message that made the call; it has a row of
 * its own only if that message is not loaded.
 */
export type Row = { readonly key: number; readonly at: Date | undefined } & (
  | { readonly kind: 'person'; readonly message: UserMessageRecord }
  | { readonly kind: 'system'; readonly message: UserMessageRecord }
  | {
      readonly kind: 'assistant';
      readonly message: AssistantMessageRecord;
      readonly calls: readonly ShownCall[];
      /**
       * The usage of the whole turn. Undefined if the turn does not end with this message, or if the beginning of the
       * turn has not been loaded.
       */
      readonly turnUsage: TokenUsage | undefined;
    }
  | { readonly kind: 'result'; readonly result: ToolResultRecord }
  | { readonly kind: 'note'; readonly text: string; readonly endsWork: boolean }
  | { readonly kind: 'divider'; readonly text: string; readonly detail: string }
);

type Results = ReadonlyMap<string, ToolResultRecord>;
const noResults: Results = new Map();

/** Converts records to rows. Rows that have not changed since the last call are the same objects as before. */
export class RowMaker {
  #cache = new WeakMap<HistoryRecord, Row>();

  toRows(records: readonly HistoryRecord[]): readonly Row[] {
    const { resultsOf, folded } = pairResults(records);
    const rows: Row[] = [];
    let usage: TokenUsage | undefined;
    for (const historyRecord of records) {
      const { record } = historyRecord;
      if (folded.has(historyRecord)) continue;
      if (record?.$case === 'userMessage') usage = noUsage;
      if (record?.$case === 'assistantMessage') usage = addUsage(usage, record.value.usage);
      const row = this.#rowOf(historyRecord, resultsOf.get(historyRecord) ?? noResults, usage);
      if (row) rows.push(row);
    }
    return rows;
  }

  #rowOf(
    historyRecord: HistoryRecord,
    results: Results,
    usage: TokenUsage | undefined,
  ): Row | undefined {
    const cached = this.#cache.get(historyRecord);
    if (cached && !isOutdated(cached, results, usage)) return cached;
    const row = makeRow(historyRecord, results, usage);
    if (row) this.#cache.set(historyRecord, row);
    return row;
  }
}

/**
 * Finds the results of each message's calls. Models may reuse call ids, so a result belongs to the latest call with its
 * id. `folded` contains the records of results that are shown as part of another row.
 */
function pairResults(records: readonly HistoryRecord[]) {
  const resultsOf = new Map<HistoryRecord, Map<string, ToolResultRecord>>();
  const folded = new Set<HistoryRecord>();
  const openCalls = new Map<string, HistoryRecord>();
  for (const historyRecord of records) {
    const { record } = historyRecord;
    if (record?.$case === 'assistantMessage')
      for (const { id } of record.value.toolCalls) openCalls.set(id, historyRecord);
    if (record?.$case !== 'toolResult') continue;
    const callRecord = openCalls.get(record.value.toolCallId);
    if (!callRecord) continue;
    openCalls.delete(record.value.toolCallId);
    folded.add(historyRecord);
    const results = resultsOf.get(callRecord) ?? new Map<string, ToolResultRecord>();
    resultsOf.set(callRecord, results.set(record.value.toolCallId, record.value));
  }
  return { resultsOf, folded };
}

/** Reports whether a result, or the beginning of the row's turn, has arrived since the row was made. */
function isOutdated(row: Row, results: Results, usage: TokenUsage | undefined): boolean {
  if (row.kind !== 'assistant') return false;
  if (row.calls.some(({ call, result }) => results.get(call.id) !== result)) return true;
  const turnUsage = row.calls.length === 0 ? usage : undefined;
  return turnUsage?.inputTokens !== row.turnUsage?.inputTokens;
}

function makeRow(
  { sequence: key, recordedAt: at, record }: HistoryRecord,
  results: Results,
  usage: TokenUsage | undefined,
): Row | undefined {
  switch (record?.$case) {
    case 'userMessage':
      return {
        key,
        at,
        kind: record.value.origin === '' ? 'person' : 'system',
        message: record.value,
      };
    case 'assistantMessage': {
      const message = record.value;
      const calls = message.toolCalls.map((call) => ({ call, result: results.get(call.id) }));
      return {
        key,
        at,
        kind: 'assistant',
        message,
        calls,
        turnUsage: calls.length > 0 ? undefined : usage,
      };
    }
    case 'toolResult':
      return { key, at, kind: 'result', result: record.value };
    case 'note':
      return { key, at, kind: 'note', text: record.value.text, endsWork: record.value.endsWork };
    case 'reset': {
      const { emergency, message } = record.value;
      const text = emergency
        ? 'The context was full and has been cleared'
        : 'The context was cleared';
      return { key, at, kind: 'divider', text, detail: message };
    }
    case 'compaction':
      return {
        key,
        at,
        kind: 'divider',
        text: 'Earlier messages were summarised',
        detail: record.value.summary,
      };
    case 'start':
      return { key, at, kind: 'divider', text: 'Started', detail: '' };
    case undefined:
      return undefined;
  }
}

const noUsage: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };

/** Adds to the usage of a turn, which remains undefined if the beginning of the turn has not been loaded. */
function addUsage(
  sum: TokenUsage | undefined,
  added: TokenUsage = noUsage,
): TokenUsage | undefined {
  return (
    sum && {
      inputTokens: sum.inputTokens + added.inputTokens,
      outputTokens: sum.outputTokens + added.outputTokens,
      cachedInputTokens: sum.cachedInputTokens + added.cachedInputTokens,
    }
  );
}

/** Reports whether the records show that the agent is working. */
export function isWorking(records: readonly HistoryRecord[]): boolean {
  const last = records.findLast(({ record }) => record && !isCompaction(record));
  switch (last?.record?.$case) {
    case 'userMessage':
      return !last.record.value.silent && !last.record.value.forPerson;
    case 'assistantMessage':
      return last.record.value.toolCalls.length > 0;
    case 'toolResult':
      return true;
    case 'note':
      return !last.record.value.endsWork;
    case 'start':
    case 'reset':
    case 'compaction':
    case undefined:
      return false;
  }
}

function isCompaction({ $case }: NonNullable<HistoryRecord['record']>): boolean {
  return $case === 'compaction';
}
