import { afterEach } from '@jest/globals';
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { IdentityServiceService } from '@daycare/contracts/identity';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { Role } from '@daycare/contracts/access';
import type { AccessRules } from '@daycare/contracts/scopes';
import type { CallOutcome, CallPipeline } from '../server/call-pipeline';
import { implementService } from '../server/implement-service';
import { createRpcClient } from '../client/rpc-client';
import { startRpcServer, type ConnectionLimits, type RpcServer } from '../server/rpc-server';
import type { Handlers } from '../shared/service-types';

type IdentityHandlers = Handlers<typeof IdentityServiceService>;
type RuntimeHandlers = Handlers<typeof AgentRuntimeServiceService>;

/** How the test's calls ended. */
export const outcomes: CallOutcome[] = [];

/** Allows the same callers to call every RPC in a contract. */
function rulesFor<S extends object>(contract: S, roles: readonly Role[]): AccessRules<S> {
  const forAll = (rule: unknown): object =>
    Object.fromEntries(Object.keys(contract).map((method) => [method, rule]));
  return { roles: forAll(roles), scopes: forAll('any') } as AccessRules<S>;
}

/** What was logged during the test. */
export const logged: { level: string; fields: object }[] = [];
const logAt = (level: string) => (fields: object) => void logged.push({ level, fields });
setLogVerbosity(logVerbosity.NONE);
/** A pipeline in which every caller is an operator. */
export const pipeline: CallPipeline = {
  authenticate: () => ({ kind: 'admin', proof: 'credential' }),
  limit: () => undefined,
  observe: (outcome) => void outcomes.push(outcome),
  log: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
  defaultTimeoutMs: 1_000,
};

/** Run after the test, in reverse order. */
export const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  outcomes.length = 0;
  logged.length = 0;
});

/** Serves identity and agent-runtime until the test ends. */
export async function serve(
  handlers: IdentityHandlers,
  runtime: RuntimeHandlers = {},
  overrides: Partial<CallPipeline> = {},
  roles: readonly Role[] = ['admin'],
  connections?: ConnectionLimits,
): Promise<RpcServer> {
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    ...(connections && { connections }),
    pipeline: { ...pipeline, ...overrides },
    services: [
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        rulesFor(IdentityServiceService, roles),
        handlers,
      ),
      implementService(
        'daycare.agent_runtime.v1.AgentRuntimeService',
        AgentRuntimeServiceService,
        rulesFor(AgentRuntimeServiceService, roles),
        runtime,
      ),
    ],
  });
  cleanups.push(() => server.drain(0));
  return server;
}

export function identityClient(address: string, timeoutMs = 5_000) {
  const client = createRpcClient(IdentityServiceService, { address, timeoutMs });
  cleanups.push(() => client.close());
  return client;
}

export function runtimeClient(address: string) {
  const client = createRpcClient(AgentRuntimeServiceService, { address });
  cleanups.push(() => client.close());
  return client;
}
