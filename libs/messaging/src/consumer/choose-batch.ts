import type { HeldMessage } from './held-messages';

export interface BatchRules {
  readonly isHandled: (id: string) => boolean;
  /** Whether a message must not be in the same batch as one of its predecessors. */
  readonly separatesPredecessors: boolean;
}

export interface BatchChoice {
  /** In an order in which every message comes after its predecessors. */
  readonly batch: readonly HeldMessage[];
  /** The candidates that have to wait for a predecessor. */
  readonly blocked: readonly HeldMessage[];
}

/** Chooses the messages whose predecessors are all handled or, if the rules allow it, earlier in the batch. */
export function chooseBatch(
  candidates: readonly HeldMessage[],
  { isHandled, separatesPredecessors }: BatchRules,
): BatchChoice {
  const byKey = new Map(candidates.map((message) => [message.key, message]));
  const batch = new Set<HeldMessage>();
  const seen = new Set<HeldMessage>();
  const visitPredecessor = (id: string): boolean => {
    const predecessor = separatesPredecessors ? undefined : byKey.get(id);
    return predecessor !== undefined && visit(predecessor);
  };
  const visit = (message: HeldMessage): boolean => {
    if (seen.has(message)) return batch.has(message);
    seen.add(message);
    if (message.predecessors.every((id) => isHandled(id) || visitPredecessor(id)))
      batch.add(message);
    return batch.has(message);
  };
  for (const message of candidates) visit(message);
  return { batch: [...batch], blocked: candidates.filter((message) => !batch.has(message)) };
}
