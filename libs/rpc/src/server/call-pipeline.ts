import type { Role } from '@daycare/contracts/access';
import type { MethodLimits } from '@daycare/contracts/method-limits';
import type { ScopeRule } from '@daycare/contracts/scopes';
import type { Authenticate, Caller, IncomingCall } from '../shared/call-context';
import type { Logger } from '../shared/logger';
import { splitPath } from '../shared/service-types';
import { makeAuthorise } from './authorise';
import { Deadlines } from '../shared/deadlines';
import type { CallerAddress } from './limits/caller-address';
import type { FloodGuard } from './limits/flood-guard';
import type { LimitRate } from './limits/rate-limiter';
import type { LeaveStream } from './limits/stream-limiter';

/** How a call ended, for metrics. `code` is OK or one of Daycare's error codes. */
export interface CallOutcome {
  readonly service: string;
  readonly method: string;
  readonly code: string;
  readonly durationMs: number;
}

/** The span of a sampled call. */
export interface CallSpan {
  /** The span as a W3C `traceparent`, for work that the call triggers elsewhere. */
  readonly traceparent: string;
  /** Ends the span; `failure` is the code of the error if the call failed. */
  end(failure?: string): void;
}

/** The trace that a call belongs to. */
export interface CallTrace {
  /** The `traceparent` that the caller sent. */
  readonly parent: string | undefined;
  /** Whether the caller may decide if the trace is sampled; otherwise the flag in `parent` is ignored. */
  readonly isCallersChoice: boolean;
}

/** What every call to a server passes through. */
export interface CallPipeline {
  readonly authenticate: Authenticate;
  /** Finds the address that a call comes from; by default, that of its connection. */
  readonly addressOf?: CallerAddress;
  /** Throws RATE_LIMITED when the caller makes too many calls. */
  readonly limit: LimitRate;
  /** Throws when the caller has too many streams open. Without it, streams are not counted. */
  readonly enterStream?: (caller: Caller, call: IncomingCall) => LeaveStream | undefined;
  /** Slows connections on which many calls are refused. Without it, all refusals are sent immediately. */
  readonly floodGuard?: FloodGuard;
  readonly observe: (outcome: CallOutcome) => void;
  readonly log: Logger;
  /** The timeout of calls whose client set no deadline; calls that stream are exempt. */
  readonly defaultTimeoutMs: number;
  /**
   * Starts a span if the call is sampled: with `isCallersChoice`, the caller has decided whether it is; otherwise this
   * function decides. Without the function, there are no spans.
   */
  readonly startSpan?: (name: string, trace: CallTrace) => CallSpan | undefined;
}

/** What the contract says about an RPC. */
export interface RpcFacts {
  readonly path: string;
  readonly access: readonly Role[];
  /** The scope that a personal access token needs for the RPC. */
  readonly scope: ScopeRule;
  /** Whether the RPC streams. Its calls may then run without a deadline, and count towards the limits on streams. */
  readonly openEnded: boolean;
  readonly limits: MethodLimits;
}

/** An RPC on a server: everything about it that is the same for all of its calls. */
export interface BoundRpc extends RpcFacts {
  readonly pipeline: CallPipeline;
  readonly deadlines: Deadlines;
  readonly name: { readonly service: string; readonly method: string };
  readonly spanName: string;
  readonly authorise: (caller: Caller) => void;
  /** Whether anyone may call the RPC; an invalid credential is then ignored. */
  readonly isOpen: boolean;
}

const deadlines = new Deadlines();

export function bindRpc(pipeline: CallPipeline, facts: RpcFacts): BoundRpc {
  const { path, access, scope } = facts;
  const name = splitPath(path);
  const authorise = makeAuthorise(access, scope);
  const spanName = path.slice(1);
  const isOpen = access.includes('anyone');
  return { ...facts, pipeline, deadlines, name, spanName, authorise, isOpen };
}
