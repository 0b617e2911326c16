import type { Costs } from '../counters/costs';
import type { FinishedWork } from '../kit/workload';
import type { Figures } from './closed-loop';

/** The figures of one bare limit or workload at one concurrency. */
export interface Cell extends Figures {
  /** Requests per second with h2load as the client, if requested and possible. */
  readonly h2loadPerSecond?: number;
  /** Set if work continues after a request is answered; the rate of finished work then replaces the request rate. */
  readonly finished?: FinishedWork;
  /** What one operation cost until it was finished; absent when no request was answered. */
  readonly costs?: Costs;
  /** Requests per second of the bare limits for comparison: means of the rates right before and after the cell. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Whether the rate had become steady when the measurement began; true if the number of requests is limited. */
  readonly isSteady: boolean;
}

/** The measurements of one bare limit or workload. */
export interface Result {
  readonly name: string;
  /** The names of the bare limits for comparison; empty for a bare limit itself. */
  readonly baseline: readonly string[];
  /** The share of the machine that other programs used right before the measurement, from 0 to 1. */
  readonly busyBefore: number;
  readonly cells: readonly Cell[];
}

/** A rate as a share of a bare limit's rate at the same concurrency. */
export interface Ratio {
  readonly baseline: string;
  readonly ratio: number;
}

/** Returns finished operations per second if work continues after a request is answered, else requests per second. */
export function rateOf(cell: Pick<Cell, 'finished' | 'requestsPerSecond'>): number {
  return cell.finished?.perSecond ?? cell.requestsPerSecond;
}
