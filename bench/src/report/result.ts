import type { Figures } from '../measure/closed-loop';

/** The figures of one bare limit or workload at one concurrency. */
export interface Cell extends Figures {
  /** Requests per second with h2load as the client, where asked for and possible. */
  readonly h2loadPerSecond?: number;
}

/** What was measured of one bare limit or workload. */
export interface Result {
  readonly name: string;
  /** The bare limits this is compared with; none for a bare limit itself. */
  readonly baseline: readonly string[];
  /** How much of the machine other programs used right before, from 0 to 1. */
  readonly busyBefore: number;
  readonly cells: readonly Cell[];
}

/** Requests per second as a share of a bare limit's at the same concurrency. */
export interface Ratio {
  readonly baseline: string;
  readonly ratio: number;
}
