import type { ContextMessage } from './context-message';

interface Folded<Result> {
  readonly context: readonly ContextMessage[];
  readonly result: Result;
}

/**
 * Folds a context, which usually begins with one that was folded before: only the messages after that one are read.
 * `add` must return a new value, or a number. Messages never change, so they are compared by identity.
 */
export function foldContext<Result>(
  initial: Result,
  add: (result: Result, message: ContextMessage) => Result,
): (context: readonly ContextMessage[]) => Result {
  /** The last fold of the contexts that begin with a message. */
  const last = new WeakMap<ContextMessage, Folded<Result>>();
  return (context) => {
    const [first] = context;
    if (!first) return initial;
    const known = last.get(first);
    const isKnown = known !== undefined && beginsWith(context, known.context);
    const added = isKnown ? context.slice(known.context.length) : context;
    const result = added.reduce(add, isKnown ? known.result : initial);
    last.set(first, { context, result });
    return result;
  };
}

/** The beginning that a context was found to have: several folds compare the same two contexts. */
const beginnings = new WeakMap<readonly ContextMessage[], readonly ContextMessage[]>();

function beginsWith(
  context: readonly ContextMessage[],
  beginning: readonly ContextMessage[],
): boolean {
  if (context === beginning || beginnings.get(context) === beginning) return true;
  if (beginning.length > context.length) return false;
  // From the end, where contexts differ.
  for (let at = beginning.length - 1; at >= 0; at -= 1)
    if (beginning[at] !== context[at]) return false;
  // A chain of beginnings would keep all of them in memory.
  beginnings.delete(beginning);
  beginnings.set(context, beginning);
  return true;
}
