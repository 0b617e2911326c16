import { describe, expect, it } from '@jest/globals';
import { errorCodes, type ErrorCode } from '@daycare/api';
import type { AgentStep } from '../../../agents';
import { testWork } from '../../../test-support/turns/test-work';
import { afterStepFailure, endWaiting } from './after-failure';

const now = new Date('2026-01-01T14:00:00Z');
const at = (ms: number): Date => new Date(now.getTime() + ms);
const limits = { maxWaitMs: 6 * 60 * 60_000 };
const fail = (code: ErrorCode, work = testWork(), retryAfterMs?: number, when = now): AgentStep =>
  afterStepFailure(work, { code, reason: 'no', source: 'openai', retryAfterMs }, limits, when);
const kindOf = ({ current, settled }: AgentStep): string => {
  if (settled?.dead) return 'dead';
  return current?.waiting ? 'waits' : `failed ${current?.failures}`;
};

describe('afterStepFailure', () => {
  it('work waits after a transient failure and is abandoned after a refusal; any other failure is counted', () => {
    expect(Object.fromEntries(errorCodes.map((code) => [code, kindOf(fail(code))]))).toEqual({
      INVALID_ARGUMENT: 'dead',
      UNAUTHENTICATED: 'dead',
      PERMISSION_DENIED: 'dead',
      NOT_FOUND: 'dead',
      REQUEST_ID_REUSED: 'dead',
      FAILED_PRECONDITION: 'dead',
      CONFLICT: 'failed 1',
      RATE_LIMITED: 'waits',
      QUOTA_EXCEEDED: 'dead',
      CANCELLED: 'waits',
      DEADLINE_EXCEEDED: 'waits',
      UNAVAILABLE: 'waits',
      UNIMPLEMENTED: 'dead',
      INTERNAL: 'failed 1',
    });
  });

  it('a wait does not count as a failure, and a long one causes a single note', () => {
    const first = fail('RATE_LIMITED', testWork(), 5 * 60_000);
    expect(first).toMatchObject({
      events: [{ kind: 'note', text: expect.stringContaining('waiting for openai: no.') }],
      current: { failures: 0, notBefore: at(5 * 60_000), waiting: { for: 'openai', count: 1 } },
    });
    expect(first.events[0]).not.toHaveProperty('endsWork');
    expect(first.events[0]).toHaveProperty('text', expect.stringContaining('14:05 UTC'));
    const second = fail('RATE_LIMITED', first.current, 60_000, at(5 * 60_000));
    expect(second).toMatchObject({ events: [], current: { waiting: { since: now, count: 2 } } });
  });

  it('several short waits cause a single note once they add up to half a minute', () => {
    let step = fail('UNAVAILABLE');
    const notes: number[] = [];
    for (let count = 1; count <= 8; count += 1) {
      notes.push(step.events.length);
      step = fail('UNAVAILABLE', step.current, undefined, step.current?.notBefore);
    }
    expect(notes).toEqual([0, 0, 0, 1, 0, 0, 0, 0]);
  });

  it('a transient failure after a successful step starts a new wait, without another note in the same turn', () => {
    const recovered = endWaiting(fail('RATE_LIMITED', testWork(), 60_000).current!);
    expect(recovered.waiting).toBeUndefined();
    const next = fail('RATE_LIMITED', recovered, 60_000, at(90_000));
    expect(next).toMatchObject({
      events: [],
      current: { waiting: { since: at(90_000), count: 1 } },
    });
  });

  it('work is abandoned after the maximum wait, and its dead letter counts every attempt', () => {
    const waiting = { for: 'openai', since: now, count: 70 };
    const last = fail('UNAVAILABLE', testWork({ waiting }), undefined, at(limits.maxWaitMs));
    expect(last.settled?.dead).toEqual({ reason: 'no', attempts: 71 });
  });
});
