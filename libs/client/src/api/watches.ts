import type {
  WatchAgentResponse,
  WatchPermissionRequestsResponse,
} from '@daycare/contracts/agent-runtime';
import type { WatchTopologyResponse } from '@daycare/contracts/topology';
import { TopologyFormat } from '@daycare/contracts/topology';
import type { Caller } from '../calls/caller';
import { services, type ResumeOptions } from '../transport/transport';

/** A record of the history, or what the agent is doing right now. */
export type AgentEvent = NonNullable<WatchAgentResponse['event']>;

/** A pending or changed request, or the notification that all pending requests have been sent. */
export type PermissionEvent = NonNullable<WatchPermissionRequestsResponse['event']>;

export interface WatchOptions extends ResumeOptions {
  /** Yield only records with a higher sequence number than this; 0, the default, for all. */
  readonly after?: number;
}

export interface WatchTopologyOptions extends ResumeOptions {
  /**
   * The revision of the view that the caller already has; nothing is yielded until the view differs from it. Empty, the
   * default, to begin with the current view.
   */
  readonly after?: string;
  /** The maximum number of entries per section; 1,000 by default, which is also the limit. */
  readonly pageSize?: number;
}

/** Streams that survive lost connections, restarts and expired tokens. */
export interface Watches {
  /**
   * Yields what an agent does and records, each record once and in order. The agent must belong to the caller or to one
   * of the caller's subusers.
   */
  agent(agentId: string, options?: WatchOptions): AsyncGenerator<AgentEvent, void, undefined>;
  /** Yields everything the caller has and can reach, whenever it changes. */
  topology(options?: WatchTopologyOptions): AsyncGenerator<WatchTopologyResponse, void, undefined>;
  /** Yields permission requests. After an interruption, all pending ones are sent again, followed by `caughtUp`. */
  permissions(options?: ResumeOptions): AsyncGenerator<PermissionEvent, void, undefined>;
}

export function makeWatches(caller: Caller): Watches {
  return {
    agent: (agentId, options) => watchAgent(caller, agentId, options),
    topology: (options) => watchTopology(caller, options),
    permissions: (options) => watchPermissions(caller, options),
  };
}

export async function* watchAgent(
  caller: Caller,
  agentId: string,
  { after = 0, ...options }: WatchOptions = {},
): AsyncGenerator<AgentEvent, void, undefined> {
  let afterSequence = after;
  const nextRequest = () => ({ agentId, afterSequence });
  for await (const item of caller.resume(services.agentRuntime.watchAgent, nextRequest, options)) {
    const { event } = item as WatchAgentResponse;
    if (!event) continue;
    if (event.$case === 'record') afterSequence = event.value.sequence;
    yield event;
  }
}

async function* watchTopology(
  caller: Caller,
  { after = '', pageSize = 1_000, ...options }: WatchTopologyOptions = {},
): AsyncGenerator<WatchTopologyResponse, void, undefined> {
  const query = { pageSize, includeDead: false, format: TopologyFormat.STRUCTURE };
  let afterRevision = after;
  const nextRequest = () => ({ ...query, afterRevision });
  for await (const item of caller.resume(services.topology.watchTopology, nextRequest, options)) {
    const view = item as WatchTopologyResponse;
    afterRevision = view.topology?.revision ?? afterRevision;
    yield view;
  }
}

export async function* watchPermissions(
  caller: Caller,
  options: ResumeOptions = {},
): AsyncGenerator<PermissionEvent, void, undefined> {
  const { watchPermissionRequests } = services.agentRuntime;
  for await (const item of caller.resume(watchPermissionRequests, () => ({}), options)) {
    const { event } = item as WatchPermissionRequestsResponse;
    if (event) yield event;
  }
}
