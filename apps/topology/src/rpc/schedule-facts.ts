import {
  CronStatus,
  OverlapPolicy,
  RunOutcome,
  type Cron as CronMessage,
  type Heartbeat as HeartbeatMessage,
  type ScheduleRun as RunMessage,
} from '@daycare/contracts/agent-runtime';
import { enumOf, findWord } from '@daycare/contracts/enum-words';
import type { Cron, Heartbeat, ScheduleRun } from '../domain/view/facts';

type WithoutAuthor<T> = Omit<T, 'writtenBy'>;

/** Reads the fields of a cron that appear in lists. */
export function readCron<T extends WithoutAuthor<CronMessage>>(message: T) {
  const { status, overlap, lastRun, recentRuns: _notListed, ...rest } = message;
  return {
    ...rest,
    status: findWord(CronStatus, status),
    overlap: findWord(OverlapPolicy, overlap),
    lastRun: lastRun && readRun(lastRun),
  };
}

export function readHeartbeat<T extends WithoutAuthor<HeartbeatMessage>>({ lastRun, ...rest }: T) {
  return { ...rest, lastRun: lastRun && readRun(lastRun) };
}

export function toCron<T extends WithoutAuthor<Cron>>({ status, overlap, lastRun, ...rest }: T) {
  return {
    ...rest,
    status: status ? enumOf(CronStatus, status) : CronStatus.UNSPECIFIED,
    overlap: overlap ? enumOf(OverlapPolicy, overlap) : OverlapPolicy.UNSPECIFIED,
    lastRun: lastRun && toRun(lastRun),
    recentRuns: [],
  };
}

export function toHeartbeat<T extends WithoutAuthor<Heartbeat>>({ lastRun, ...rest }: T) {
  return { ...rest, lastRun: lastRun && toRun(lastRun) };
}

function readRun({ outcome, ...rest }: RunMessage): ScheduleRun {
  return { ...rest, outcome: findWord(RunOutcome, outcome) };
}

function toRun({ outcome, ...run }: ScheduleRun): RunMessage {
  const { dueAt, startedAt, endedAt, ...rest } = run;
  const times = { dueAt, startedAt, endedAt };
  return {
    ...rest,
    ...times,
    outcome: outcome ? enumOf(RunOutcome, outcome) : RunOutcome.UNSPECIFIED,
  };
}
