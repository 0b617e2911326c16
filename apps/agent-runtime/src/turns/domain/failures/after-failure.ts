import { classifyFailure, type ErrorCode } from '@daycare/api';
import type { AgentStep, CurrentWork } from '../../../agents';
import { couldNotHandleNote, waitingNote } from '../../../messaging';
import { afterFailure, afterTransientFailure } from './retry-policy';

/** What is known about a step that failed, for the decision and for the note to the person. */
export interface StepFailure {
  readonly code: ErrorCode;
  /** Safe to show to a person. */
  readonly reason: string;
  /** The failing service, such as a provider. */
  readonly source: string;
  readonly retryAfterMs?: number | undefined;
  /** The agent's list of models, if models are the cause. */
  readonly models?: string;
}

export interface WaitLimits {
  /** How long a transient failure may last in total before the work is abandoned. */
  readonly maxWaitMs: number;
}

/**
 * Decides what happens to work when one of its steps fails: after a transient failure it waits, a refusal is
 * final, and anything else counts as a failure.
 */
export function afterStepFailure(
  work: CurrentWork,
  failure: StepFailure,
  { maxWaitMs }: WaitLimits,
  now: Date,
  random = 0,
): AgentStep {
  switch (classifyFailure(failure.code)) {
    case 'permanent':
      return giveUp({ ...work, failures: work.failures + 1 }, failure.reason);
    case 'suspect':
      return failWork(work, failure.reason, now, random);
    case 'transient':
      return waitAndRetry(work, failure, maxWaitMs, now, random);
  }
}

/** Work that waits for less than this causes no note. */
const notifyAfterMs = 30_000;

function waitAndRetry(
  work: CurrentWork,
  { source, reason, retryAfterMs, models }: StepFailure,
  maxWaitMs: number,
  now: Date,
  random: number,
): AgentStep {
  const { since, count } = work.waiting ?? { since: now, count: 0 };
  const list = models === undefined ? {} : { models };
  const waiting = { for: source, since, count: count + 1, ...list };
  const verdict = afterTransientFailure({ ...waiting, retryAfterMs }, maxWaitMs, now, random);
  if (verdict.kind === 'dead') return giveUp({ ...work, waiting }, reason);
  const { notBefore } = verdict;
  const isNotified = notBefore.getTime() - since.getTime() >= notifyAfterMs;
  const current = {
    ...work,
    waiting,
    notBefore,
    ...(isNotified ? { isWaitTold: true as const } : {}),
  };
  const note = { kind: 'note', text: waitingNote(source, reason, notBefore) } as const;
  return { events: isNotified && !work.isWaitTold ? [note] : [], current };
}

/** Returns the work without its wait, because a step has succeeded. */
export function endWaiting({ waiting: _over, ...work }: CurrentWork): CurrentWork {
  return work;
}

/** Counts a failure: the work is retried after a delay, which `random` shortens, or abandoned. */
export function failWork(work: CurrentWork, reason: string, now: Date, random = 0): AgentStep {
  const failures = work.failures + 1;
  const verdict = afterFailure(failures, now, random);
  if (verdict.kind === 'dead') return giveUp({ ...work, failures }, reason);
  return {
    events: [],
    current: { ...work, failures, notBefore: verdict.notBefore },
  };
}

/** Turns the work into a dead letter, with a note for the person. */
export function giveUp(work: CurrentWork, reason: string): AgentStep {
  const { messageIds, failures, interruptions, waiting } = work;
  const attempts = failures + interruptions + (waiting?.count ?? 0);
  return {
    events: [{ kind: 'note', text: couldNotHandleNote(reason), endsWork: true }],
    current: undefined,
    settled: { messageIds, dead: { reason, attempts } },
  };
}
