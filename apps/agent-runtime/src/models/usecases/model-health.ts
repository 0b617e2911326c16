import { LRUCache } from 'lru-cache';
import { AppError, limitEntries } from '@daycare/api';
import type { ModelName } from '../catalogue/model-entry';
import { consequenceOf, healthKeys, type Obstacle } from '../domain/model-failure';
import { ProviderError } from '../providers/provider-error';

const maxObstacles = 10_000;

/**
 * Remembers in this replica's memory which providers and models have failed recently, so that not every turn waits
 * for a model that is down before it tries the next on its list.
 */
export class ModelHealth {
  readonly #obstacles = new LRUCache<string, Obstacle>(limitEntries(maxObstacles));

  constructor(private readonly now: () => Date) {}

  /**
   * Returns why the model is skipped; undefined when it may be called. Once the time of an obstacle is up, one caller
   * may try the model. The others keep skipping it until that call has succeeded or been aborted, or `trialMs` have
   * passed; if the call fails, the obstacle is renewed.
   */
  obstacleOf(model: ModelName): string | undefined {
    const keys = healthKeys(model);
    for (const key of [keys.provider, keys.model]) {
      const obstacle = this.#obstacles.get(key);
      if (obstacle && obstacle.untilMs > this.now().getTime()) return obstacle.reason;
    }
    return undefined;
  }

  /**
   * Call it before every call to a model. If the model or its provider has failed recently, other callers skip
   * whichever has failed until the outcome of this call is known, but for at most `trialMs`.
   */
  beginTrial(model: ModelName): void {
    const untilMs = this.now().getTime() + trialMs;
    this.#change(model, (obstacle) => ({ ...obstacle, untilMs, isTrial: true }));
  }

  /** The call was aborted and says nothing about the model: another call may try it immediately. */
  abandonTrial(model: ModelName): void {
    const untilMs = this.now().getTime();
    this.#change(model, (obstacle) => (obstacle.isTrial ? { ...obstacle, untilMs } : obstacle));
  }

  succeeded(model: ModelName): void {
    const keys = healthKeys(model);
    this.#obstacles.delete(keys.provider);
    this.#obstacles.delete(keys.model);
  }

  /** Returns why another model may be used instead; undefined if that would not help. */
  failed(model: ModelName, error: unknown): string | undefined {
    if (!(error instanceof AppError)) return undefined;
    if (!(error instanceof ProviderError))
      return error.code === 'UNAVAILABLE' ? error.message : undefined;
    const { verdict, message, details } = error;
    const failure = consequenceOf(verdict, message, details.retryAfterMs);
    if (failure) {
      const untilMs = this.now().getTime() + failure.skipMs;
      this.#obstacles.set(healthKeys(model)[failure.kind], { reason: failure.reason, untilMs });
    }
    return message;
  }

  /** The provider or its key was replaced, so its earlier failures no longer count. */
  forget(provider: string): void {
    for (const key of [...this.#obstacles.keys()])
      if (key === provider || key.startsWith(`${provider}/`)) this.#obstacles.delete(key);
  }

  #change(model: ModelName, change: (obstacle: Obstacle) => Obstacle): void {
    const keys = healthKeys(model);
    for (const key of [keys.provider, keys.model]) {
      const obstacle = this.#obstacles.get(key);
      if (obstacle) this.#obstacles.set(key, change(obstacle));
    }
  }
}

/** How long other callers wait for the outcome of a trial. */
const trialMs = 30_000;
