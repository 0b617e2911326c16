import { estimateMessages, type ContextMessage } from '../../../agents';

/** Which part of a context a compaction replaces, and which part it keeps. */
export interface CompactionPlan {
  /** Oldest first; the summary of an earlier compaction is among them. */
  readonly older: readonly ContextMessage[];
  /** The sequence number of the first record that remains. */
  readonly keptFrom: number;
  /** The sequence number of the current message, when it is older than `keptFrom`. */
  readonly kept?: number;
  /** The estimated size of the part that remains. */
  readonly keptTokens: number;
}

/**
 * Shares of the token limit: for the newest turns that are kept, for a turn in progress that is kept whole, and for
 * the newest rounds of a turn in progress that is longer than that.
 */
const turnsShare = 0.3;
const turnShare = 0.6;
const roundsShare = 0.4;

/**
 * Plans a compaction that should shrink a context to less than `maxTokens`: all but the newest turns are
 * replaced. A turn in progress that is itself too long keeps its message and its newest rounds.
 * Undefined when nothing, or only an earlier summary, could be replaced.
 */
export function planCompaction(
  context: readonly ContextMessage[],
  turn: number,
  maxTokens: number,
): CompactionPlan | undefined {
  const current = Math.max(0, indexOfTurn(context, turn));
  const isLong = estimateMessages(context.slice(current)) > maxTokens * turnShare;
  const from = isLong
    ? newestRounds(context, current, maxTokens * roundsShare)
    : newestTurns(context, current, maxTokens * turnsShare);
  const keptMessage = from > current ? context[current] : undefined;
  const older = context.slice(0, from).filter((message) => message !== keptMessage);
  const keptFrom = context[from]?.sequence;
  if (keptFrom === undefined || older.every((message) => 'summary' in message)) return undefined;
  const remaining = [...(keptMessage ? [keptMessage] : []), ...context.slice(from)];
  return {
    older,
    keptFrom,
    ...(keptMessage?.sequence === undefined ? {} : { kept: keptMessage.sequence }),
    keptTokens: estimateMessages(remaining),
  };
}

/** Returns the index of the message that began the turn or, if that is not in the context, the newest turn. */
function indexOfTurn(context: readonly ContextMessage[], turn: number): number {
  const at = context.findIndex(({ role, sequence }) => role === 'user' && sequence === turn);
  return at < 0 ? context.findLastIndex(startsTurn) : at;
}

function startsTurn(message: ContextMessage): boolean {
  return message.role === 'user' && !('summary' in message);
}

/** Returns the index at which the newest turns that fit begin; the turn in progress is always among them. */
function newestTurns(
  context: readonly ContextMessage[],
  current: number,
  maxTokens: number,
): number {
  let from = current;
  for (let at = current - 1; at >= 0; at -= 1) {
    const message = context[at];
    if (!message || !startsTurn(message)) continue;
    if (estimateMessages(context.slice(at)) > maxTokens) break;
    from = at;
  }
  return from;
}

/** Returns the index at which a turn's newest rounds that fit begin; the newest round is always among them. */
function newestRounds(
  context: readonly ContextMessage[],
  current: number,
  maxTokens: number,
): number {
  let from = context.length;
  for (let at = context.length - 1; at > current; at -= 1) {
    if (context[at]?.role !== 'assistant') continue;
    if (from < context.length && estimateMessages(context.slice(at)) > maxTokens) break;
    from = at;
  }
  return from < context.length ? from : current;
}
