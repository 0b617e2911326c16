import { agentRuntimeAccess, identityAccess, socialGraphAccess } from '@daycare/contracts/access';
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
import { makeOwners, type Credential } from '../rpc/owners';
import type { Owners } from '../usecases/owners';

export interface OwnerHandlers {
  readonly identity: Handlers<typeof IdentityServiceService>;
  readonly socialGraph: Handlers<typeof SocialGraphServiceService>;
  readonly agentRuntime: Handlers<typeof AgentRuntimeServiceService>;
}

export type OwnerName = keyof OwnerHandlers;

/** Servers of their own that answer over the wire and admit callers as the real ones do. */
export interface TestOwners {
  readonly owners: Owners;
  /** The calls so far, by method, and a way to count anew. */
  readonly takeCalls: () => Record<string, number>;
  /** Ends the server of an owner; nobody listens there any more. */
  readonly stop: (owner: OwnerName) => Promise<void>;
  readonly close: () => Promise<void>;
}

const nothing = (): void => undefined;

/** Says who calls without signing it; the owners below believe it. */
const credential: Credential = {
  metadata: async (callee, subject) => ({ callee, caller: JSON.stringify(subject ?? null) }),
};

const believe: Authenticate = ({ metadata }) => {
  const [caller = 'null'] = metadata.get('caller').map(String);
  const subject = JSON.parse(caller) as { userId: string } | null;
  return subject
    ? { kind: 'user', via: 'topology', ...subject }
    : { kind: 'service', service: 'topology', proof: 'token' };
};

export async function startTestOwners(handlers: OwnerHandlers): Promise<TestOwners> {
  let calls: Record<string, number> = {};
  const count = ({ method }: { readonly method: string }): void => {
    calls[method] = (calls[method] ?? 0) + 1;
  };
  const servers = await startServers(handlers, count);
  const clients = openClients(servers);
  return {
    owners: makeOwners(clients, credential),
    takeCalls() {
      const taken = calls;
      calls = {};
      return taken;
    },
    stop: (owner) => servers[owner].drain(0),
    async close() {
      [clients.identity, clients.socialGraph, clients.agentRuntime].forEach((c) => c.close());
      await Promise.all(Object.values(servers).map((server) => server.drain(0)));
    },
  };
}

type Servers = Readonly<Record<OwnerName, RpcServer>>;
type Count = (call: { readonly method: string }) => void;

async function startServers(handlers: OwnerHandlers, count: Count): Promise<Servers> {
  const [identity, socialGraph, agentRuntime] = await Promise.all([
    serve(
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        identityAccess,
        handlers.identity,
      ),
      count,
    ),
    serve(
      implementService(
        'daycare.social_graph.v1.SocialGraphService',
        SocialGraphServiceService,
        socialGraphAccess,
        handlers.socialGraph,
      ),
      count,
    ),
    serve(
      implementService(
        'daycare.agent_runtime.v1.AgentRuntimeService',
        AgentRuntimeServiceService,
        agentRuntimeAccess,
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
      authenticate: believe,
      limit: nothing,
      observe,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      defaultTimeoutMs: 5_000,
    },
    services: [service],
  });
}

function openClients(servers: Servers) {
  const identity = createRpcClient(IdentityServiceService, servers.identity);
  const gone = { isRevoked: () => false, freshAt: Date.now() };
  return {
    identity,
    directory: new IdentityDirectory({ identity, credential, gone }),
    socialGraph: createRpcClient(SocialGraphServiceService, servers.socialGraph),
    agentRuntime: createRpcClient(AgentRuntimeServiceService, servers.agentRuntime),
  };
}
