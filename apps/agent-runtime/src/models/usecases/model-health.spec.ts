import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import type { ProviderVerdict } from '../domain/model-failure';
import { ProviderError } from '../providers/provider-error';
import { ModelHealth } from './model-health';

const one = { provider: 'p', id: 'one' };
const other = { provider: 'p', id: 'other' };
const elsewhere = { provider: 'q', id: 'one' };
const minuteMs = 60_000;

function start() {
  let nowMs = 1_000_000;
  const health = new ModelHealth(() => new Date(nowMs));
  return { health, pass: (ms: number) => void (nowMs += ms) };
}

describe('ModelHealth', () => {
  it.each<[ProviderVerdict, string, boolean, boolean]>([
    ['unavailable', 'all models of the provider', true, true],
    ['slow', 'only that model', true, false],
    ['key', 'all models of the provider', true, true],
    ['quota', 'all models of the provider', true, true],
    ['limited', 'only that model', true, false],
    ['missing', 'only that model', true, false],
    ['forbidden', 'only that model', true, false],
    ['refused', 'nothing', false, false],
  ])('after the verdict "%s", skips %s', (verdict, _, skipsModel, skipsOthers) => {
    const { health } = start();
    const error = new ProviderError(verdict);
    expect(health.failed(one, error)).toBe(error.message);
    const isSkipped = [one, other, elsewhere].map(
      (model) => health.obstacleOf(model) !== undefined,
    );
    expect(isSkipped).toEqual([skipsModel, skipsOthers, false]);
  });

  it('skips a model for as long as its provider requests', () => {
    const { health, pass } = start();
    health.failed(one, new ProviderError('limited', { retryAfterMs: 2 * minuteMs }));
    pass(2 * minuteMs - 1);
    expect(health.obstacleOf(one)).toBeDefined();
    pass(1);
    expect(health.obstacleOf(one)).toBeUndefined();
  });

  it('after the skip time, lets one caller try again, and the others only after that call has succeeded', () => {
    const { health, pass } = start();
    health.failed(one, new ProviderError('unavailable'));
    pass(minuteMs);
    expect(health.obstacleOf(one)).toBeUndefined();
    health.beginTrial(one);
    expect(health.obstacleOf(other)).toBeDefined();
    health.succeeded(one);
    expect(health.obstacleOf(other)).toBeUndefined();
  });

  it('lets another caller try immediately after an aborted trial; an aborted call that was no trial changes nothing', () => {
    const { health, pass } = start();
    health.failed(one, new ProviderError('unavailable'));
    health.abandonTrial(one);
    expect(health.obstacleOf(one)).toBeDefined();
    pass(minuteMs);
    health.beginTrial(one);
    health.abandonTrial(one);
    expect(health.obstacleOf(other)).toBeUndefined();
    health.beginTrial(other);
    expect(health.obstacleOf(one)).toBeDefined();
  });

  it('after a failure that concerns only one call, falls back to another model but does not skip the failed one later', () => {
    const { health } = start();
    const closed = new AppError('UNAVAILABLE', 'the connection was closed');
    expect(health.failed(one, closed)).toBe(closed.message);
    expect(health.obstacleOf(one)).toBeUndefined();
  });

  it.each([
    ['a cancellation', new AppError('CANCELLED', 'x')],
    ['a failed precondition', new AppError('FAILED_PRECONDITION', 'x')],
    ['an internal error', new Error('x')],
  ])('there is no fallback to another model after %s', (_, error) => {
    expect(start().health.failed(one, error)).toBeUndefined();
  });
});
