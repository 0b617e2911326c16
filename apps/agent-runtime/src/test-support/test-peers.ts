import { identityRules, socialGraphRules, topologyRules } from '@daycare/contracts/scopes';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import {
  createRpcClient,
  implementService,
  startRpcServer,
  type Authenticate,
  type Handlers,
  type RpcClient,
} from '@daycare/rpc';
import type { Credential } from '../peers/as-agent';

const nothing = (): void => undefined;

/** Names the caller without a signature; the server that `startTestPeers` starts trusts it. */
export const testCredential: Credential = {
  metadata: (callee, subject) => () => ({ callee, caller: JSON.stringify(subject) }),
};

const trustCaller: Authenticate = ({ metadata }) => {
  const [caller = '{}'] = metadata.get('caller').map(String);
  return { kind: 'user', ...JSON.parse(caller) };
};

/** Clients of a server that applies the access rules of identity, social-graph and topology. */
export interface TestPeers {
  readonly identity: RpcClient<typeof IdentityServiceService>;
  readonly socialGraph: RpcClient<typeof SocialGraphServiceService>;
  readonly topology: RpcClient<typeof TopologyServiceService>;
  readonly close: () => Promise<void>;
}

export async function startTestPeers(
  handlers: {
    readonly identity?: Handlers<typeof IdentityServiceService>;
    readonly socialGraph?: Handlers<typeof SocialGraphServiceService>;
    readonly topology?: Handlers<typeof TopologyServiceService>;
  },
  authenticate: Authenticate = trustCaller,
): Promise<TestPeers> {
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    pipeline: {
      authenticate,
      limit: nothing,
      observe: nothing,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      defaultTimeoutMs: 5_000,
    },
    services: [
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        identityRules,
        handlers.identity ?? {},
      ),
      implementService(
        'daycare.social_graph.v1.SocialGraphService',
        SocialGraphServiceService,
        socialGraphRules,
        handlers.socialGraph ?? {},
      ),
      implementService(
        'daycare.topology.v1.TopologyService',
        TopologyServiceService,
        topologyRules,
        handlers.topology ?? {},
      ),
    ],
  });
  const { address } = server;
  const identity = createRpcClient(IdentityServiceService, { address });
  const socialGraph = createRpcClient(SocialGraphServiceService, { address });
  const topology = createRpcClient(TopologyServiceService, { address });
  return {
    identity,
    socialGraph,
    topology,
    async close() {
      identity.close();
      socialGraph.close();
      topology.close();
      await server.drain(0);
    },
  };
}
