import type { Trust } from '@daycare/api';
import { estimateRecordTokens } from './context/estimate-tokens';
import {
  clearsContext,
  foreignWriterOf,
  isPrivate,
  type HistoryEvent,
} from './context/history-record';
import { mergeWriters } from './started-by';

/** The part of an agent's state that describes its context. */
export interface StoredContext {
  /** The sequence of the newest `start` or `reset`; the context is what follows it. */
  readonly contextFrom: number;
  /**
   * The agent's permission requests since this sequence are still valid. It is the sequence of the newest
   * reset, or of the first start. Absent when it equals `contextFrom`. The next run of a schedule starts a new context,
   * but withdraws no requests.
   */
  readonly askedFrom?: number;
  /** The sequence from which the context is restored; absent when it equals `contextFrom`. */
  readonly restoreFrom?: number;
  /** The estimated size of the context. */
  readonly contextTokens: number;
  /** The lowest trust of the texts in the context; absent in entries older than the field. */
  readonly contextTrust?: Trust;
  /**
   * Whether the context holds something private; if so, nothing in it may be sent to guests without approval.
   */
  readonly contextIsPrivate: boolean;
  /**
   * The guest or outsider whose words the context holds; they are kept private from all other guests
   * and outsiders.
   */
  readonly contextWriter?: string;
}

export type ContextState = StoredContext &
  Required<Pick<StoredContext, 'contextTrust' | 'restoreFrom'>>;

/** The context of an agent, with defaults for entries that are older than the fields. */
export function contextOf(state: StoredContext): ContextState {
  const { contextFrom, contextTokens, contextIsPrivate } = state;
  const { restoreFrom = contextFrom, contextTrust = 'outside' } = state;
  const kept = {
    ...(state.contextWriter === undefined ? {} : { contextWriter: state.contextWriter }),
    ...(state.askedFrom === undefined ? {} : { askedFrom: state.askedFrom }),
  };
  return { contextFrom, restoreFrom, contextTokens, contextTrust, contextIsPrivate, ...kept };
}

/**
 * The context after an event; `keptTokens` is the estimated size of what remains when the event shortens the
 * context.
 */
export function afterEvent(
  before: ContextState,
  event: HistoryEvent,
  sequence: number,
  keptTokens = 0,
): ContextState {
  const base = makeRoom(before, event, sequence, keptTokens);
  const contextWriter = mergeWriters(base.contextWriter, foreignWriterOf(event));
  return {
    ...base,
    contextTokens: base.contextTokens + estimateRecordTokens(event),
    contextIsPrivate: base.contextIsPrivate || isPrivate(event),
    ...(contextWriter === undefined ? {} : { contextWriter }),
  };
}

/**
 * The context that remains when an event shortens or clears it; unchanged by other events. The labels (trust,
 * privacy and writer) stay as long as any part of the context does.
 */
function makeRoom(
  before: ContextState,
  event: HistoryEvent,
  sequence: number,
  keptTokens: number,
): ContextState {
  if (event.kind === 'compaction') {
    const restoreFrom = Math.min(event.keptFrom, event.kept ?? sequence, sequence);
    return { ...before, restoreFrom, contextTokens: keptTokens };
  }
  if (!clearsContext(event)) return before;
  if (event.kind === 'reset' && event.kept !== undefined) {
    const { askedFrom: _withdrawn, ...rest } = before;
    return { ...rest, contextFrom: sequence, restoreFrom: event.kept, contextTokens: keptTokens };
  }
  const isRestart = event.kind === 'start' && before.contextFrom > 0;
  return {
    contextFrom: sequence,
    restoreFrom: sequence,
    contextTokens: 0,
    contextTrust: 'person',
    contextIsPrivate: false,
    ...(isRestart ? { askedFrom: firstValidRequestSequence(before) } : {}),
  };
}

/** The sequence from which the agent's permission requests are still valid. */
export function firstValidRequestSequence({
  askedFrom,
  contextFrom,
}: Pick<StoredContext, 'askedFrom' | 'contextFrom'>): number {
  return askedFrom ?? contextFrom;
}
