import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import {
  EndpointAuth,
  EndpointMode,
  type CreateEndpointRequest,
  type Endpoint as EndpointMessage,
  type EndpointTarget as TargetMessage,
  type UpdateEndpointRequest,
} from '@daycare/contracts/topology';
import { readWord } from '@daycare/rpc';
import type { Endpoint, EndpointChange, EndpointRequest } from '../domain/endpoints/endpoint';
import type { EndpointTarget } from '../domain/endpoints/endpoint-target';

export function readEndpointRequest({
  name,
  target,
  mode,
  auth,
  secret,
}: CreateEndpointRequest): EndpointRequest {
  return { name, target: readTarget(target), mode: readMode(mode), auth: readAuth(auth), secret };
}

export function readChange(request: UpdateEndpointRequest): EndpointChange {
  const { name, target, mode, auth, rotatePassword, secret } = request;
  return {
    name: name === '' ? undefined : name,
    target: readTarget(target),
    mode: readMode(mode),
    auth: readAuth(auth),
    rotatePassword,
    secret,
  };
}

export function toEndpoint(endpoint: Endpoint, urlOf: (id: string) => string): EndpointMessage {
  const { id, name, target, mode, auth, createdAt, updatedAt, writtenBy } = endpoint;
  return {
    id,
    name,
    target: toTarget(target),
    mode: enumOf(EndpointMode, mode),
    auth: enumOf(EndpointAuth, auth),
    url: urlOf(id),
    createdAt,
    updatedAt,
    writtenBy: writtenBy && enumOf(Trust, writtenBy),
  };
}

function readTarget(message: TargetMessage | undefined): EndpointTarget | undefined {
  const target = message?.target;
  switch (target?.$case) {
    case 'port':
      return { kind: 'port', port: target.value };
    case 'unixPath':
      return { kind: 'unix', path: target.value };
    case 'agentId':
      return { kind: 'agent', agentId: target.value };
    case undefined:
      return undefined;
  }
}

function toTarget(target: EndpointTarget): TargetMessage {
  switch (target.kind) {
    case 'port':
      return { target: { $case: 'port', value: target.port } };
    case 'unix':
      return { target: { $case: 'unixPath', value: target.path } };
    case 'agent':
      return { target: { $case: 'agentId', value: target.agentId } };
  }
}

const readMode = (mode: EndpointMode) => readWord(EndpointMode, mode, 'mode');
const readAuth = (auth: EndpointAuth) => readWord(EndpointAuth, auth, 'auth');
