import { enumOf, wordOf } from '@daycare/contracts/enum-words';
import {
  EndpointAuth,
  EndpointMode,
  type CreateEndpointResponse,
  type Endpoint,
  type EndpointTarget,
  type TopologyServiceService,
} from '@daycare/contracts/topology';
import { Trust } from '@daycare/contracts/common';
import { AppError, invalidField } from '@daycare/api';
import type { RpcClient } from '@daycare/rpc';
import { fitCharacters } from '../shared/text/fit-characters';
import type { Endpoints, EndpointSpec, EndpointView } from '../tools';
import { makeAsAgent, type Credential } from './as-agent';

type Client = Pick<
  RpcClient<typeof TopologyServiceService>,
  'createEndpoint' | 'updateEndpoint' | 'deleteEndpoint' | 'listEndpoints'
>;

/** More endpoints than a user may have, so one page contains all of them. */
const pageSize = 1_000;
/** Below the size limit of a tool result, which contains other fields besides the list. */
const maxCharacters = 7_500;
const noEndpoint = new AppError('INTERNAL', 'Internal error');

/** Implements endpoint operations by calling topology on behalf of an agent. */
export function makeEndpoints(topology: Client, credential: Credential): Endpoints {
  const asAgent = makeAsAgent(credential, 'topology');
  return {
    async create({ requestId, ...call }, spec) {
      const request = { requestId, ...toRequest(spec) };
      const created = await asAgent(call, (options) => topology.createEndpoint(request, options));
      return toEndpointChange(created);
    },
    async update({ requestId, ...call }, endpointId, { rotatePassword, ...spec }) {
      const request = { requestId, endpointId, rotatePassword, ...toRequest(spec) };
      const updated = await asAgent(call, (options) => topology.updateEndpoint(request, options));
      return toEndpointChange(updated);
    },
    async remove({ requestId, ...call }, endpointId) {
      const request = { requestId, endpointId };
      await asAgent(call, (options) => topology.deleteEndpoint(request, options));
    },
    async list(call) {
      const request = { pageSize, pageToken: '' };
      const { endpoints } = await asAgent(call, (options) =>
        topology.listEndpoints(request, options),
      );
      const shown = fitCharacters(endpoints.map(toView), maxCharacters);
      return { endpoints: shown, count: endpoints.length };
    },
  };
}

function toEndpointChange({ endpoint, password, secret }: CreateEndpointResponse) {
  return { endpoint: toView(endpoint), password, secret };
}

function toRequest({ name = '', target, mode, auth, secret = '' }: EndpointSpec) {
  return {
    name,
    secret,
    target: target === undefined ? undefined : parseTarget(target),
    mode: mode ? enumOf(EndpointMode, mode) : EndpointMode.UNSPECIFIED,
    auth: auth ? enumOf(EndpointAuth, auth) : EndpointAuth.UNSPECIFIED,
  };
}

function parseTarget(text: string): EndpointTarget {
  const [, kind, value = ''] = /^(port|unix|agent):(.+)$/su.exec(text) ?? [];
  if (kind === 'port' && /^\d{1,5}$/.test(value))
    return { target: { $case: 'port', value: Number(value) } };
  if (kind === 'unix') return { target: { $case: 'unixPath', value } };
  if (kind === 'agent') return { target: { $case: 'agentId', value } };
  throw invalidField(
    'target',
    'must be port:<number>, unix:<path in the home folder> or agent:<id>',
  );
}

function toView(endpoint: Endpoint | undefined): EndpointView {
  if (!endpoint) throw noEndpoint;
  const { id: endpointId, name, target, url, writtenBy } = endpoint;
  return {
    endpointId,
    name,
    target: formatTarget(target),
    mode: wordOf(EndpointMode, endpoint.mode),
    auth: wordOf(EndpointAuth, endpoint.auth),
    url,
    ...(writtenBy === undefined ? {} : { writtenBy: wordOf(Trust, writtenBy) }),
  };
}

function formatTarget(target: EndpointTarget | undefined): string {
  const words = { port: 'port', unixPath: 'unix', agentId: 'agent' } as const;
  if (!target?.target) throw noEndpoint;
  return `${words[target.target.$case]}:${target.target.value}`;
}
