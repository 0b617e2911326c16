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
 * Every state in which things may stand after calls made at the same time: some order of them must
 * explain all the answers. No state at all means that no order does.
 */
export function explainBatch(
  candidates: readonly ModelState[],
  batch: readonly Observation[],
  number: number,
): ModelState[] {
  const changes = batch.filter((each) => 'call' in each);
  const lists = batch.filter((each) => 'listBy' in each);
  const found = new Map<string, ModelState>();
  for (const candidate of candidates) {
    for (const way of waysThrough(candidate, changes, number)) {
      if (!lists.every((list) => isSeenOn(way, list))) continue;
      const last = way.at(-1)!;
      found.set(JSON.stringify({ ties: last.ties, heard: inAnyOrder(last) }), last);
    }
  }
  return [...found.values()];
}

/** The states passed by each order that explains the answers. */
function* waysThrough(
  state: ModelState,
  left: readonly Extract<Observation, { call: ModelCall }>[],
  batch: number,
): Generator<ModelState[]> {
  if (left.length === 0) yield [state];
  for (const [index, { call, answer }] of left.entries()) {
    const next = applyCall(state, call, batch);
    if (next.answer !== answer) continue;
    for (const way of waysThrough(next.state, left.toSpliced(index, 1), batch)) {
      yield [state, ...way];
    }
  }
}

/** A list is read piece by piece, so each piece must have been so at some moment of the batch. */
function isSeenOn(
  way: readonly ModelState[],
  { listBy: me, answer }: Extract<Observation, { listBy: User }>,
): boolean {
  return users
    .filter((other) => other !== me)
    .every((other) => {
      const moments = way.map((state) => listedTie(state, me, other));
      return (['friend', 'request', 'block'] as const).every((piece) =>
        moments.some((moment) => moment[piece] === answer[other]?.[piece]),
      );
    });
}

function inAnyOrder({ heard }: ModelState): string[] {
  return heard.map((each) => JSON.stringify(each)).sort();
}

/** Whether what was heard on a lane is what the model expects, batch after batch. */
export function isHeardAs(
  { heard }: ModelState,
  { from, to }: { readonly from: string; readonly to: string },
  actual: readonly string[],
): boolean {
  const expected = heard.filter((each) => each.from === from && each.to === to);
  if (expected.length !== actual.length) return false;
  return expected.every(({ batch }) => {
    const first = expected.findIndex((each) => each.batch === batch);
    const group = expected.filter((each) => each.batch === batch).map(({ what }) => what);
    return sameThings(group, actual.slice(first, first + group.length));
  });
}

const sameThings = (some: readonly string[], others: readonly string[]): boolean =>
  JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
