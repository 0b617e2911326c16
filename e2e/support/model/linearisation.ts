import {
  applyCall,
  listedTie,
  type ListedTie,
  type ModelCall,
  type ModelState,
} from './friendship-model';
import { users, type User } from './share-model';

/** A call and how the service answered it. */
export type Observation =
  | { readonly call: ModelCall; readonly answer: string }
  | { readonly listBy: User; readonly answer: Readonly<Record<string, ListedTie>> };

/**
 * Returns every state that results if the concurrent calls take effect in an order that explains all answers; none if
 * no order explains them.
 */
export function explainBatch(
  candidates: readonly ModelState[],
  batch: readonly Observation[],
  number: number,
): ModelState[] {
  const changes = batch.filter((observation) => 'call' in observation);
  const lists = batch.filter((observation) => 'listBy' in observation);
  const states = new Map<string, ModelState>();
  for (const candidate of candidates) {
    for (const path of statePaths(candidate, changes, number)) {
      if (!lists.every((list) => isConsistentList(path, list))) continue;
      const last = path.at(-1)!;
      states.set(JSON.stringify({ ties: last.ties, received: sortedMessages(last) }), last);
    }
  }
  return [...states.values()];
}

/** Yields, for each order of the calls that explains the answers, the states that they pass through. */
function* statePaths(
  state: ModelState,
  remaining: readonly Extract<Observation, { call: ModelCall }>[],
  batch: number,
): Generator<ModelState[]> {
  if (remaining.length === 0) yield [state];
  for (const [index, { call, answer }] of remaining.entries()) {
    const next = applyCall(state, call, batch);
    if (!next.answers.includes(answer)) continue;
    for (const path of statePaths(next.state, remaining.toSpliced(index, 1), batch)) {
      yield [state, ...path];
    }
  }
}

/** Reports whether each piece of a list matches a state on the path; the pieces are read at different times. */
function isConsistentList(
  path: readonly ModelState[],
  { listBy: me, answer }: Extract<Observation, { listBy: User }>,
): boolean {
  return users
    .filter((other) => other !== me)
    .every((other) => {
      const entries = path.map((state) => listedTie(state, me, other));
      return (['friend', 'request', 'block'] as const).every((piece) =>
        entries.some((entry) => entry[piece] === answer[other]?.[piece]),
      );
    });
}

function sortedMessages({ received }: ModelState): string[] {
  return received.map((message) => JSON.stringify(message)).sort();
}

/** Reports whether the messages that arrived in a lane match the model's, batch by batch. */
export function matchesReceived(
  { received }: ModelState,
  { from, to }: { readonly from: string; readonly to: string },
  actual: readonly string[],
): boolean {
  const expected = received.filter((message) => message.from === from && message.to === to);
  const unmatched = [...actual];
  for (const number of new Set(expected.map(({ batch }) => batch))) {
    const remaining = expected.filter(({ batch }) => batch === number);
    while (remaining.some(({ what }) => what === unmatched[0])) {
      const [what] = unmatched.splice(0, 1);
      remaining.splice(
        remaining.findIndex((message) => message.what === what),
        1,
      );
    }
    if (!remaining.every(({ mayBeLost }) => mayBeLost)) return false;
  }
  return unmatched.length === 0;
}
