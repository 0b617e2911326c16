import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { IdentityServiceService } from '@daycare/contracts/identity';
import type { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { TopologyServiceService } from '@daycare/contracts/topology';
import type { RpcClient } from '@daycare/rpc';

export type Identity = RpcClient<typeof IdentityServiceService>;
export type Graph = RpcClient<typeof SocialGraphServiceService>;
export type Runtime = RpcClient<typeof AgentRuntimeServiceService>;
export type Topology = RpcClient<typeof TopologyServiceService>;

/** Clients of a stack: one per replica, and shortcuts to the first ones. */
export interface Clients {
  readonly identities: readonly Identity[];
  readonly graphs: readonly Graph[];
  readonly runtimes: readonly Runtime[];
  readonly topologies: readonly Topology[];
  readonly identity: Identity;
  readonly graph: Graph;
  readonly runtime: Runtime;
  readonly topology: Topology;
  /** The client of the second agent-runtime replica. */
  readonly otherRuntime: Runtime;
}
