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
  /** The sequence number of the newest `start` or `reset`, where the current context began. */
  readonly contextFrom: number;
  /**
   * The sequence number of the newest reset or, if there was none, of the first start: permission requests made since
   * then are still valid. Absent when it equals `contextFrom`. The two differ once the next run of a schedule has
   * started a new context, which withdraws no requests.
   */
  readonly askedFrom?: number;
  /** The sequence number of the first record to read when the context is restored; `contextFrom` if absent. */
  readonly restoreFrom?: number;
  /** The estimated size of the context. */
  readonly contextTokens: number;
  /** The lowest trust of any text in the context; absent in entries stored before this field existed. */
  readonly contextTrust?: Trust;
  /**
   * Whether the context contains something private; if so, messages to guests need a person's approval.
   */
  readonly contextIsPrivate: boolean;
  /**
   * The guest or outsider whose words the context contains, or `severalWriters`. The words are kept private from all
   * other guests and outsiders, unless the agent's guests share one conversation.
   */
  readonly contextWriter?: string;
}

export type ContextState = StoredContext &
  Required<Pick<StoredContext, 'contextTrust' | 'restoreFrom'>>;

/** Returns the state of an agent's context, with defaults for fields that an old entry does not have. */
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
 * Returns the state of the context after an event; `keptTokens` is the estimated size of what remains when the event
 * shortens the context.
 */
export function afterEvent(
  before: ContextState,
  event: HistoryEvent,
  sequence: number,
  keptTokens = 0,
): ContextState {
  const base = shortenContext(before, event, sequence, keptTokens);
  const contextWriter = mergeWriters(base.contextWriter, foreignWriterOf(event));
  return {
    ...base,
    contextTokens: base.contextTokens + estimateRecordTokens(event),
    contextIsPrivate: base.contextIsPrivate || isPrivate(event),
    ...(contextWriter === undefined ? {} : { contextWriter }),
  };
}

/**
 * Returns what remains of the context when an event shortens or clears it; other events leave it unchanged. The labels
 * (trust, privacy and writer) are kept as long as any part of the context remains.
 */
function shortenContext(
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

/** Returns the sequence number from which the agent's permission requests are still valid. */
export function firstValidRequestSequence({
  askedFrom,
  contextFrom,
}: Pick<StoredContext, 'askedFrom' | 'contextFrom'>): number {
  return askedFrom ?? contextFrom;
}
