import type { BenchStack } from './bench-stack';
import type { BaselineName } from './baselines';
import type { GrpcRequest } from './measure/h2load';

/** Something to measure, made ready. */
export interface Prepared {
  /** Makes one request and throws unless it was answered as it should be. */
  run(): Promise<unknown>;
  close(): Promise<void>;
  /** The same request as bytes, for h2load; only where repeating it literally does the same work. */
  readonly literal?: GrpcRequest;
}

/** Something to measure. The name is what `--only` looks in. */
export interface Probe {
  readonly name: string;
  /** How many requests are under way, one cell each; the usual numbers when left out. */
  readonly inFlight?: readonly number[];
  prepare(stack: BenchStack): Promise<Prepared>;
}

/** A use of the product, and the bare limits that bound it: its figures are ratios to theirs. */
export interface Workload extends Probe {
  readonly baseline: readonly BaselineName[];
}
