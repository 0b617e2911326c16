import { nameOf, type ModelName } from '../catalogue/model-entry';

/** Why a model is skipped, and until when. */
export interface Obstacle {
  readonly reason: string;
  readonly untilMs: number;
  /** Present while one call tests whether the model works again. */
  readonly isTrial?: true;
}

/** The consequence of a provider's failure for later calls. */
export interface ModelFailure {
  readonly kind: 'provider' | 'model';
  readonly reason: string;
  readonly skipMs: number;
}

/**
 * Why a provider gave no answer: `slow` means that the call took too long, `forbidden` that the key does not
 * allow the model, `missing` that the provider does not have the model, or no longer has it.
 */
export type ProviderVerdict =
  | 'unavailable'
  | 'slow'
  | 'limited'
  | 'key'
  | 'forbidden'
  | 'quota'
  | 'missing'
  | 'refused';

const minuteMs = 60_000;

/**
 * What to skip after each verdict, and for how long. A refused request says nothing about other requests, so
 * nothing is skipped. A slow model says nothing about its provider's other models; it is skipped itself
 * because each attempt costs minutes.
 */
const consequences: Readonly<
  Record<ProviderVerdict, readonly [ModelFailure['kind'], number] | undefined>
> = {
  unavailable: ['provider', minuteMs / 2],
  slow: ['model', 2 * minuteMs],
  limited: ['model', minuteMs / 2],
  key: ['provider', 5 * minuteMs],
  forbidden: ['model', 10 * minuteMs],
  quota: ['provider', 5 * minuteMs],
  missing: ['model', 10 * minuteMs],
  refused: undefined,
};

const maxSkipMs = 60 * minuteMs;

export function consequenceOf(
  verdict: string,
  reason: string,
  retryAfterMs = 0,
): ModelFailure | undefined {
  const consequence = consequences[verdict as ProviderVerdict];
  if (!consequence) return undefined;
  const [kind, minSkipMs] = consequence;
  return { kind, reason, skipMs: Math.min(Math.max(minSkipMs, retryAfterMs), maxSkipMs) };
}

/** The keys under which a model's failures are remembered: one for its provider, one for the model itself. */
export function healthKeys(model: ModelName): {
  readonly provider: string;
  readonly model: string;
} {
  return { provider: model.provider, model: nameOf(model) };
}
