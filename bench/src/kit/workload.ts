import type { BenchStack, NamedProcess } from './bench-stack';

/** The bare limits that a workload can be compared with. */
export type BaselineName = 'grpc-echo' | 'jetstream-publish' | 'mongo-insert';

/** A unary call in its wire form. */
export interface GrpcRequest {
  readonly address: string;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly message: Uint8Array;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Figures of the requests whose work was finished within the measured time. */
export interface FinishedWork {
  readonly perSecond: number;
  /** From the last acceptance until everything was finished. */
  readonly drainMs: number;
  /** From sending the request until it was finished, where that is recorded. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Lower than `perSecond` when turns answer several messages that have piled up. */
  readonly turnsPerSecond?: number;
}

/** Follows the work that continues after a request has been answered, without disturbing it. */
export interface FollowUp {
  /** Called when the measured time begins and when it ends. */
  mark(): Promise<void>;
  /** Resolves once everything accepted so far is finished; throws when there is no more progress. */
  drain(): Promise<void>;
  /** The results between the last two marks; called after `drain`. */
  summarise(): FinishedWork;
}

/** A probe that is ready to be measured. */
export interface PreparedProbe {
  /** Makes one request; throws unless the response is as expected. */
  run(): Promise<unknown>;
  close(): Promise<void>;
  /** The request as bytes, for h2load; omitted if sending the same bytes again would cause other work. */
  readonly literal?: GrpcRequest;
  /** For requests whose work is not finished when they are answered. */
  readonly followUp?: FollowUp;
  /** How many requests can be made, if they cannot be repeated forever. */
  readonly supply?: { readonly warmUp: number; readonly measured: number };
  /** The number of model calls so far (for turns and summaries); set only if the probe plays the model. */
  readonly countModelCalls?: () => number;
  /** Processes that only this probe has; their CPU time is counted, too. */
  readonly processes?: readonly NamedProcess[];
}

/** A measurement. `--only` filters by its name. */
export interface Probe {
  readonly name: string;
  /** Numbers of concurrent requests to measure; the default ones if omitted. */
  readonly inFlight?: readonly number[];
  /** The concurrencies that `--reach` measures. It leaves out workloads without any; a bare limit has 1 and 64. */
  readonly reach?: readonly number[];
  /** How many processes of social-graph and agent-runtime to run; one if omitted. */
  readonly replicas?: number;
  /** Returns undefined when the services under measurement do not offer the call. */
  prepare(stack: BenchStack): Promise<PreparedProbe | undefined>;
}

/** A use of the product, and the bare limits that it is compared with. */
export interface Workload extends Probe {
  readonly baseline: readonly BaselineName[];
}
