import type { ContextMessage } from './context-message';

interface Folded<Result> {
  readonly context: readonly ContextMessage[];
  readonly result: Result;
}

/**
 * Folds a context. For each first message, the context that was last folded and its result are remembered: if the given
 * context begins with that one, as is usual, only the messages added since then are read. `add` must not modify the
 * earlier result. Messages never change, so they are compared by identity.
 */
export function foldContext<Result>(
  initial: Result,
  add: (result: Result, message: ContextMessage) => Result,
): (context: readonly ContextMessage[]) => Result {
  /** The latest fold of a context, by the context's first message. */
  const last = new WeakMap<ContextMessage, Folded<Result>>();
  return (context) => {
    const [first] = context;
    if (!first) return initial;
    const previous = last.get(first);
    const isContinuation = previous !== undefined && beginsWith(context, previous.context);
    const added = isContinuation ? context.slice(previous.context.length) : context;
    const result = added.reduce(add, isContinuation ? previous.result : initial);
    last.set(first, { context, result });
    return result;
  };
}

/**
 * Maps a context to another that it is known to begin with. A cache, because several folds compare the same two
 * contexts.
 */
const beginnings = new WeakMap<readonly ContextMessage[], readonly ContextMessage[]>();

function beginsWith(
  context: readonly ContextMessage[],
  beginning: readonly ContextMessage[],
): boolean {
  if (context === beginning || beginnings.get(context) === beginning) return true;
  if (beginning.length > context.length) return false;
  // Compares from the end: if two contexts differ, they usually differ there.
  for (let at = beginning.length - 1; at >= 0; at -= 1)
    if (beginning[at] !== context[at]) return false;
  // Without this, each context would keep all earlier ones in memory, not only its beginning.
  beginnings.delete(beginning);
  beginnings.set(context, beginning);
  return true;
}
