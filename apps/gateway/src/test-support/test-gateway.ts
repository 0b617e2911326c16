import { afterEach } from '@jest/globals';
import { onAbort } from '@daycare/async';
import type { AccessRules } from '@daycare/contracts/scopes';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { GetJwksResponse, IdentityServiceService } from '@daycare/contracts/identity';
import {
  implementService,
  startRpcServer,
  type CallContext,
  type CallOutcome,
  type CallPipeline,
  type Handlers,
  type RpcServer,
} from '@daycare/rpc';
import { EnvReader, StopSequence, type ServiceKit } from '@daycare/service-kit';
import { readConfig } from '../config';
import { buildService, type GatewayTiming } from '../service';

export interface TestUpstreams {
  readonly identity?: Handlers<typeof IdentityServiceService>;
  readonly runtime?: Handlers<typeof AgentRuntimeServiceService>;
}

export interface TestGateway {
  readonly url: string;
  /** The metadata of the calls that the services received, including the gateway's own calls to identity. */
  readonly seen: Record<string, string>[];
  readonly outcomes: CallOutcome[];
  stop(): Promise<void>;
}

/** What identity may return from GetJwks. */
export const jwks = GetJwksResponse.fromPartial({ jwksJson: '{}' });

const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Starts a gateway in this process, in front of services with these handlers; it stops when the test ends. */
export async function startTestGateway(
  upstreams: TestUpstreams = {},
  env: Readonly<Record<string, string>> = {},
  timing: GatewayTiming = {},
): Promise<TestGateway> {
  const seen: Record<string, string>[] = [];
  const service = await startUpstream(upstreams, seen);
  cleanups.push(() => service.drain(0));
  const outcomes: CallOutcome[] = [];
  const stop = new StopSequence();
  const { listen } = await buildService(
    readConfig(new EnvReader({ ...envFor(service.address), ...env })),
    kitWith(stop, outcomes),
    timing,
  );
  const server = await listen(() => true);
  stop.add('drain', 'rpc', () => server.drain(1_000));
  let stopped: Promise<void> | undefined;
  const stopOnce = (): Promise<void> => (stopped ??= stop.run(log, 2_000));
  cleanups.push(stopOnce);
  return { url: `http://${server.address}`, seen, outcomes, stop: stopOnce };
}

function kitWith(stop: StopSequence, outcomes: CallOutcome[]): ServiceKit {
  const metrics = {
    observeCall: (outcome: CallOutcome) => void outcomes.push(outcome),
    observeStreams: nothing,
  };
  return { log, stop, metrics, tracing: {} } as unknown as ServiceKit;
}

function envFor(address: string): Record<string, string> {
  return {
    DAYCARE_LISTEN: '127.0.0.1:0',
    DAYCARE_IDENTITY_ADDRESS: address,
    DAYCARE_SOCIAL_GRAPH_ADDRESS: address,
    DAYCARE_AGENT_RUNTIME_ADDRESS: address,
    DAYCARE_TOPOLOGY_ADDRESS: address,
  };
}

async function startUpstream(
  { identity = {}, runtime = {} }: TestUpstreams,
  seen: Record<string, string>[],
): Promise<RpcServer> {
  const pipeline: CallPipeline = {
    authenticate({ metadata }) {
      const entries = Object.entries(metadata.getMap()).map(([key, value]) => [key, String(value)]);
      seen.push(Object.fromEntries(entries) as Record<string, string>);
      return { kind: 'admin', proof: 'credential' };
    },
    limit: nothing,
    observe: nothing,
    log,
    defaultTimeoutMs: 5_000,
  };
  return startRpcServer({
    listen: '127.0.0.1:0',
    pipeline,
    services: [
      implementService(
        'daycare.identity.v1.IdentityService',
        IdentityServiceService,
        adminRules(IdentityServiceService),
        identity,
      ),
      implementService(
        'daycare.agent_runtime.v1.AgentRuntimeService',
        AgentRuntimeServiceService,
        adminRules(AgentRuntimeServiceService),
        runtime,
      ),
    ],
  });
}

/** Rules that let operators call every method. */
function adminRules<S extends object>(contract: S): AccessRules<S> {
  const forEveryMethod = (rule: unknown): object =>
    Object.fromEntries(Object.keys(contract).map((method) => [method, rule]));
  return { roles: forEveryMethod(['admin']), scopes: forEveryMethod('any') } as AccessRules<S>;
}

/** Resolves when the caller of a forwarded call has disconnected. */
export function untilDisconnected({ signal }: CallContext): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/** Calls an RPC over Connect with JSON. */
export function post(
  { url }: TestGateway,
  path: string,
  body: unknown = {},
  init: { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return fetch(`${url}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...init.headers },
  });
}
