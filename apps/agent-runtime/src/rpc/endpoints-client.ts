import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type EndpointTarget,
  type TopologyServiceService,
} from '@daycare/contracts/topology';
import { AppError } from '@daycare/errors';
import type { RpcClient } from '@daycare/rpc';
import { fitCharacters } from '../domain/fit-characters';
import type { AgentCall } from '../usecases/agent-call';
import { makeAsAgent, type Credential } from './as-agent';

type Client = Pick<
  RpcClient<typeof TopologyServiceService>,
  'createEndpoint' | 'updateEndpoint' | 'deleteEndpoint' | 'listEndpoints'
>;

const modes = { public: EndpointMode.PUBLIC, local_network: EndpointMode.LOCAL_NETWORK } as const;
const auths = { none: EndpointAuth.NONE, password: EndpointAuth.PASSWORD } as const;

export const exposeModes = ['public', 'local_network'] as const satisfies (keyof typeof modes)[];
export const exposeAuths = ['none', 'password'] as const satisfies (keyof typeof auths)[];

/** What stays as it is, or as topology would have it, is left out. */
export interface EndpointWish {
  readonly name?: string | undefined;
  /** `port:N`, `unix:P` or `agent:<id>`. */
  readonly target?: string | undefined;
  readonly mode?: keyof typeof modes | undefined;
  readonly auth?: keyof typeof auths | undefined;
}

/** More than a user may have. */
const pageSize = 1_000;
/** What a tool may answer, with room for what is around a list. */
const mostCharacters = 7_500;
const noEndpoint = new AppError('INTERNAL', 'Internal error');

/** What an agent can do about endpoints. The rules are topology's. */
export type Endpoints = ReturnType<typeof makeEndpoints>;

export function makeEndpoints(topology: Client, credential: Credential) {
  const asAgent = makeAsAgent(credential, 'topology');
  return {
    async create({ requestId, ...call }: AgentCall, wish: EndpointWish) {
      const request = { requestId, ...toRequest(wish) };
      const made = await asAgent(call, (options) => topology.createEndpoint(request, options));
      return { endpoint: toAnswer(made.endpoint), password: made.password };
    },
    async update(
      { requestId, ...call }: AgentCall,
      endpointId: string,
      { rotatePassword, ...wish }: EndpointWish & { readonly rotatePassword: boolean },
    ) {
      const request = { requestId, endpointId, rotatePassword, ...toRequest(wish) };
      const made = await asAgent(call, (options) => topology.updateEndpoint(request, options));
      return { endpoint: toAnswer(made.endpoint), password: made.password };
    },
    async remove({ requestId, ...call }: AgentCall, endpointId: string): Promise<void> {
      const request = { requestId, endpointId };
      await asAgent(call, (options) => topology.deleteEndpoint(request, options));
    },
    async list(call: Pick<AgentCall, 'agent' | 'signal'>) {
      const request = { pageSize, pageToken: '' };
      const { endpoints } = await asAgent(call, (options) =>
        topology.listEndpoints(request, options),
      );
      const shown = fitCharacters(endpoints.map(toAnswer), mostCharacters);
      return { endpoints: shown, count: endpoints.length };
    },
  };
}

function toRequest({ name = '', target, mode, auth }: EndpointWish) {
  return {
    name,
    target: target === undefined ? undefined : readTarget(target),
    mode: mode ? modes[mode] : EndpointMode.UNSPECIFIED,
    auth: auth ? auths[auth] : EndpointAuth.UNSPECIFIED,
  };
}

function readTarget(text: string): EndpointTarget {
  const [, kind, value = ''] = /^(port|unix|agent):(.+)$/su.exec(text) ?? [];
  if (kind === 'port' && /^\d{1,5}$/.test(value))
    return { target: { $case: 'port', value: Number(value) } };
  if (kind === 'unix') return { target: { $case: 'unixPath', value } };
  if (kind === 'agent') return { target: { $case: 'agentId', value } };
  const description = 'must be port:<number>, unix:<path in the home> or agent:<id>';
  const fields = [{ field: 'target', description }];
  throw new AppError('INVALID_ARGUMENT', `target ${description}`, { fields });
}

function toAnswer(endpoint: Endpoint | undefined) {
  if (!endpoint) throw noEndpoint;
  const { id: endpointId, name, target, url } = endpoint;
  return {
    endpointId,
    name,
    target: formatTarget(target),
    mode: endpoint.mode === EndpointMode.PUBLIC ? 'public' : 'local_network',
    auth: endpoint.auth === EndpointAuth.PASSWORD ? 'password' : 'none',
    url,
  };
}

function formatTarget(target: EndpointTarget | undefined): string {
  const words = { port: 'port', unixPath: 'unix', agentId: 'agent' } as const;
  if (!target?.target) throw noEndpoint;
  return `${words[target.target.$case]}:${target.target.value}`;
}
