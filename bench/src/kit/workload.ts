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

/** The figures of the requests whose work was finished within the measured time. */
export interface FinishedWork {
  readonly perSecond: number;
  /** The time from the last accepted request until all work was finished. */
  readonly drainMs: number;
  /** The time from sending a request until its work was finished; absent if that is not recorded. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Turns whose messages were finished; lower than `perSecond` when turns answer several messages that have piled up. */
  readonly turnsPerSecond?: number;
}

/** Observes the work that continues after a request has been answered, without disturbing it. */
export interface FollowUp {
  /** Called when the measured time begins and when it ends. */
  mark(): Promise<void>;
  /** Resolves once everything accepted so far is finished; throws if there is no progress for too long. */
  drain(): Promise<void>;
  /** Returns the results between the last two calls to `mark`; called after `drain`. */
  summarise(): FinishedWork;
}

/** A probe that is ready to be measured. */
export interface PreparedProbe {
  /** Makes one request; throws unless the response is as expected. */
  run(): Promise<unknown>;
  close(): Promise<void>;
  /** The request as bytes, for h2load; only for calls that do the same work whenever the same bytes are sent again. */
  readonly literal?: GrpcRequest;
  /** Present if the work of a request is not finished when the request is answered. */
  readonly followUp?: FollowUp;
  /** How many requests are made, if their number is limited; they are then made one after the other. */
  readonly supply?: { readonly warmUp: number; readonly measured: number };
  /** Returns the number of model calls so far (for turns and summaries); set only if the probe plays the model. */
  readonly countModelCalls?: () => number;
  /** Processes that only this probe has; their CPU time is included in the costs. */
  readonly processes?: readonly NamedProcess[];
}

/** Something that can be measured. `--only` filters by its name. */
export interface Probe {
  readonly name: string;
  /** Numbers of concurrent requests to measure; the default ones if omitted. */
  readonly inFlight?: readonly number[];
  /**
   * The concurrencies to measure with `--reach`. If omitted, a workload is then not measured, and a bare limit is
   * measured at 1 and 64.
   */
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
