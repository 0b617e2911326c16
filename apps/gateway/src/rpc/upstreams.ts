import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { ServiceName } from '@daycare/contracts/access';
import { createRpcClient, type ServiceContract } from '@daycare/rpc';
import { ClientPool } from './client-pool';

export type UpstreamAddresses = Readonly<Record<ServiceName, string>>;

/** A public service of proto/, and the clients that forward its calls. */
export interface Upstream {
  readonly service: DescService;
  readonly clients: ClientPool;
}

type ClientOptions = Parameters<typeof createRpcClient>[1];

/** The timeout of calls with a single response for which the client sets none; streams of responses then have none. */
const defaultTimeoutMs = 30_000;
/** The maximum size of a response; the largest responses are views of the topology. */
const maxMessageBytes = 64 << 20;

/** Opens the clients of a service. They connect on the first call. */
export function openUpstream(
  service: DescService,
  options: Pick<ClientOptions, 'address'> & Partial<Pick<ClientOptions, 'credentials'>>,
): Upstream {
  const contract = contractOf(service);
  const clients = new ClientPool(() =>
    createRpcClient(contract, {
      ...options,
      timeoutMs: defaultTimeoutMs,
      maxMessageBytes,
      ownConnections: true,
    }),
  );
  return { service, clients };
}

/** Describes a service as the client kit expects. Messages stay encoded; callers decode them if they need to. */
function contractOf(service: DescService): ServiceContract {
  return Object.fromEntries(service.methods.map((method) => [method.localName, shapeOf(method)]));
}

const asIs = (bytes: Buffer): Buffer => bytes;

function shapeOf({ parent, name, methodKind }: DescMethod): ServiceContract[string] {
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
    responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}
