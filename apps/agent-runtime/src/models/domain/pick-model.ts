import type { ErrorCode } from '@daycare/api';
import { nameOf, type ModelName, type ResolvedModel } from '../catalogue/model-entry';

/** A model in a list and, if it cannot currently be used, the reason. */
export interface Candidate {
  readonly model: ResolvedModel;
  /** Whether its provider is configured; otherwise it can never be used. */
  readonly isConfigured: boolean;
  /** Why it failed recently; it is skipped for a while. Undefined when it did not fail. */
  readonly obstacle?: string | undefined;
}

/** A model that is not used, and why. */
export interface SkippedModel {
  /** `provider/id`. */
  readonly model: string;
  readonly reason: string;
}

/** A model that has failed in the current turn. */
export interface FailedModel extends SkippedModel {
  readonly code: ErrorCode;
  /** How long to wait before a retry, as requested by the provider. */
  readonly retryAfterMs?: number;
}

export interface PickedModel {
  readonly model: ResolvedModel;
  /** The first model in the list and why it is not used; undefined when it is the one that was picked. */
  readonly fallbackFor: SkippedModel | undefined;
  /** Whether the list has another configured model that has not failed in this turn. */
  readonly hasOther: boolean;
}

export const notConfigured = 'its provider is not configured';

/**
 * Picks the first configured model in the list that has no obstacle and has not failed in this turn. If every model
 * that has not failed in this turn has an obstacle, picks the first of these. If all have failed in this turn, picks
 * one of them again; that happens only if the list has changed in the meantime, because the failure of the last
 * remaining model is not added to `failed`. Returns undefined when no model is configured.
 */
export function pickModel(
  candidates: readonly Candidate[],
  failed: readonly SkippedModel[],
): PickedModel | undefined {
  const reasonOf = ({ model, isConfigured, obstacle }: Candidate): string | undefined =>
    isConfigured ? (reasonIn(failed, model) ?? obstacle) : notConfigured;
  const usable = candidates.filter(({ isConfigured }) => isConfigured);
  const untried = usable.filter(({ model }) => reasonIn(failed, model) === undefined);
  const eligible = untried.length > 0 ? untried : usable;
  const picked = eligible.find(({ obstacle }) => obstacle === undefined) ?? eligible[0];
  const [first] = candidates;
  if (!picked || !first) return undefined;
  const reason = reasonOf(first);
  const fallbackFor =
    picked === first || reason === undefined ? undefined : { model: nameOf(first.model), reason };
  return { model: picked.model, fallbackFor, hasOther: untried.length > 1 };
}

/** Returns the history note that says that another model answers. */
export function fallbackNote({ model, reason }: SkippedModel, used: ModelName): string {
  return `${model} cannot be used (${reason}); ${nameOf(used)} answers instead.`;
}

function reasonIn(failed: readonly SkippedModel[], model: ModelName): string | undefined {
  return failed.find((each) => each.model === nameOf(model))?.reason;
}
