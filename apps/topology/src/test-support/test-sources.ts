import { agentRuntimeRules, identityRules, socialGraphRules } from '@daycare/contracts/scopes';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import {
  createRpcClient,
  implementService,
  startRpcServer,
  type Authenticate,
  type Handlers,
  type RpcServer,
  type ServiceImplementation,
} from '@daycare/rpc';
import { IdentityDirectory } from '@daycare/service-kit';
import { makeFactSources, type Credential } from '../rpc/fact-sources';
import type { FactSources } from '../usecases/view/fact-sources';

export interface SourceHandlers {
  readonly identity: Handlers<typeof IdentityServiceService>;
  readonly socialGraph: Handlers<typeof SocialGraphServiceService>;
  readonly agentRuntime: Handlers<typeof AgentRuntimeServiceService>;
}

export type SourceName = keyof SourceHandlers;

/** Real servers in place of the other services; they apply the real access rules. */
export interface TestSources {
  readonly sources: FactSources;
  /** Returns how many times each method was called, and resets the counts. */
  readonly takeCalls: () => Record<string, number>;
  /** Stops a server, so that connections to it are refused. */
  readonly stop: (source: SourceName) => Promise<void>;
  readonly close: () => Promise<void>;
}

const doNothing = (): void => undefined;

/** States the caller in unsigned metadata, which the servers below trust. */
const credential: Credential = {
  metadata: (callee, subject) => () => ({ callee, caller: JSON.stringify(subject ?? null) }),
};

const trustCaller: Authenticate = ({ metadata }) => {
  const [caller = 'null'] = metadata.get('caller').map(String);
  const subject = JSON.parse(caller) as { userId: string } | null;
  return subject
    ? { kind: 'user', via: 'topology', ...subject }
    : { kind: 'service', service: 'topology', proof: 'token' };
};

export async function startTestSources(handlers: SourceHandlers): Promise<TestSources> {
  let calls: Record<string, number> = {};
  const count = ({ method }: { readonly method: string }): void => {
    calls[method] = (calls[method] ?? 0) + 1;
  };
  const servers = await startServers(handlers, count);
  const clients = openClients(servers);
  return {
    sources: makeFactSources(clients, credential),
    takeCalls() {
      const taken = calls;
      calls = {};
      return taken;
    },
    stop: (source) => servers[source].drain(0),
    async close() {
      [clients.identity, clients.socialGraph, clients.agentRuntime].forEach((c) => c.close());
      await Promise.all(Object.values(servers).map((server) => server.drain(0)));
    },
  };
}

type Servers = Readonly<Record<SourceName, RpcServer>>;
type Count = (call: { readonly method: string }) => void;

async function startServers(handlers: SourceHandlers, count: Count): Promise<Servers> {
  const [identity, socialGraph, agentRuntime] = await Promise.all([
    serve(
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        identityRules,
        handlers.identity,
      ),
      count,
    ),
    serve(
      implementService(
        'daycare.social_graph.v1.SocialGraphService',
        SocialGraphServiceService,
        socialGraphRules,
        handlers.socialGraph,
      ),
      count,
    ),
    serve(
      implementService(
        'daycare.agent_runtime.v1.AgentRuntimeService',
        AgentRuntimeServiceService,
        agentRuntimeRules,
        handlers.agentRuntime,
      ),
      count,
    ),
  ]);
  return { identity, socialGraph, agentRuntime };
}

function serve(service: ServiceImplementation, observe: Count): Promise<RpcServer> {
  return startRpcServer({
    listen: '127.0.0.1:0',
    pipeline: {
      authenticate: trustCaller,
      limit: doNothing,
      observe,
      log: { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing },
      defaultTimeoutMs: 5_000,
    },
    services: [service],
  });
}

function openClients(servers: Servers) {
  const identity = createRpcClient(IdentityServiceService, servers.identity);
  const revocations = { isRevoked: () => false, freshAt: Date.now() };
  return {
    identity,
    directory: new IdentityDirectory({ identity, credential, revocations }),
    socialGraph: createRpcClient(SocialGraphServiceService, servers.socialGraph),
    agentRuntime: createRpcClient(AgentRuntimeServiceService, servers.agentRuntime),
  };
}
