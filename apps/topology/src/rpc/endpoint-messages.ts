import {
  EndpointAuth,
  EndpointMode,
  type CreateEndpointRequest,
  type Endpoint as EndpointMessage,
  type EndpointTarget as TargetMessage,
  type UpdateEndpointRequest,
} from '@daycare/contracts/topology';
import { AppError } from '@daycare/errors';
import type {
  AskedEndpoint,
  Endpoint,
  EndpointAuth as AuthWord,
  EndpointChange,
  EndpointMode as ModeWord,
} from '../domain/endpoint';
import type { EndpointTarget } from '../domain/endpoint-target';

const modes: Record<ModeWord, EndpointMode> = {
  public: EndpointMode.PUBLIC,
  local_network: EndpointMode.LOCAL_NETWORK,
};

const auths: Record<AuthWord, EndpointAuth> = {
  none: EndpointAuth.NONE,
  password: EndpointAuth.PASSWORD,
};

export function readAsked({ name, target, mode, auth }: CreateEndpointRequest): AskedEndpoint {
  return { name, target: readTarget(target), mode: readMode(mode), auth: readAuth(auth) };
}

export function readChange(request: UpdateEndpointRequest): EndpointChange {
  const { name, target, mode, auth, rotatePassword } = request;
  return {
    name: name === '' ? undefined : name,
    target: readTarget(target),
    mode: readMode(mode),
    auth: readAuth(auth),
    rotatePassword,
  };
}

export function toEndpoint(endpoint: Endpoint, urlOf: (id: string) => string): EndpointMessage {
  const { id, name, target, mode, auth, createdAt, updatedAt } = endpoint;
  return {
    id,
    name,
    target: toTarget(target),
    mode: modes[mode],
    auth: auths[auth],
    url: urlOf(id),
    createdAt,
    updatedAt,
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

const readMode = (mode: EndpointMode) =>
  readWord(modes, mode, mode === EndpointMode.UNSPECIFIED, 'mode');
const readAuth = (auth: EndpointAuth) =>
  readWord(auths, auth, auth === EndpointAuth.UNSPECIFIED, 'auth');

/** Undefined when the caller says nothing; a value from a newer contract is not taken for nothing. */
function readWord<W extends string, V>(
  words: Readonly<Record<W, V>>,
  value: V,
  isUnspecified: boolean,
  field: string,
): W | undefined {
  if (isUnspecified) return undefined;
  const found = Object.entries(words).find(([, known]) => known === value);
  if (found) return found[0] as W;
  const fields = [{ field, description: 'is not known here' }];
  throw new AppError('INVALID_ARGUMENT', `${field} is not known here`, { fields });
}
