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
 * Why a provider did not answer; `slow` is a call that took too long, `forbidden` a model that the key
 * does not allow, `missing` one that the provider does not have, or no longer has.
 */
export type Verdict =
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
 * Nothing is skipped after a rejected request, which says nothing about other requests. A slow model says nothing
 * about other models of its provider; it is skipped itself because each attempt costs minutes.
 */
const consequences: Readonly<Record<Verdict, readonly [ModelFailure['kind'], number] | undefined>> =
  {
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
  const found = consequences[verdict as Verdict];
  if (!found) return undefined;
  const [kind, ms] = found;
  return { kind, reason, skipMs: Math.min(Math.max(ms, retryAfterMs), maxSkipMs) };
}

/** The keys under which failures of a model are remembered: its provider's and its own. */
export function healthKeys(model: ModelName): {
  readonly provider: string;
  readonly model: string;
} {
  return { provider: model.provider, model: nameOf(model) };
}
