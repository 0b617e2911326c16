import { ChannelCredentials } from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import type { UploadFileRequest } from '@daycare/contracts/agent-runtime';
import {
  createRpcClient,
  type CallOptions as RpcOptions,
  type ServiceContract,
} from '@daycare/rpc';
import { DaycareError } from './daycare-error';
import {
  defaultTimeoutMs,
  services,
  type Method,
  type SentOptions,
  type ServiceKey,
  type Transport,
  type Upload,
} from './transport';

type Call = (request: unknown, options: RpcOptions) => unknown;
type AnyClient = Readonly<Record<string, Call | undefined>> & { close(): void };

const maxMessageBytes = 64 << 20;
const chunkBytes = 512 << 10;

export interface GrpcTransportOptions {
  /** Returns the address of a service; called, like `credentials`, when the result is first needed. */
  readonly addressOf: (service: ServiceKey) => string;
  readonly credentials: () => ChannelCredentials;
  readonly toError?: (error: AppError, service: ServiceKey) => DaycareError;
}

/** Returns the options for calls through a gateway, which serves everything at one address. */
export function gatewayOptions(url: string): GrpcTransportOptions {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  const address = `${hostname}:${port || (isSecure ? '443' : '80')}`;
  const credentials = isSecure
    ? ChannelCredentials.createSsl()
    : ChannelCredentials.createInsecure();
  return { addressOf: () => address, credentials: () => credentials };
}

/** Makes calls over gRPC. Services at the same address share a connection. */
export function createGrpcTransport(options: GrpcTransportOptions): Transport {
  const { toError = (error: AppError) => new DaycareError(error) } = options;
  const clients = new Clients(options);
  const translate =
    ({ path }: Method) =>
    (error: unknown): unknown =>
      error instanceof AppError ? toError(error, serviceOf(path)) : error;
  const call = async (method: Method, request: unknown, sent: SentOptions): Promise<unknown> => {
    try {
      return await clients.callOf(method)(request, toRpcOptions(sent));
    } catch (error) {
      throw translate(method)(error);
    }
  };
  return {
    unary: call,
    async *stream(method, request, sent) {
      try {
        yield* clients.callOf(method)(request, toRpcOptions(sent)) as AsyncIterable<unknown>;
      } catch (error) {
        throw translate(method)(error);
      }
    },
    upload: (file, sent) => call(services.agentRuntime.uploadFile, partsOf(file), sent),
    close: () => clients.close(),
  };
}

/** One client for each service, opened when the service is first called. */
class Clients {
  readonly #clients = new Map<ServiceKey, AnyClient>();
  #credentials: ChannelCredentials | undefined;

  constructor(private readonly options: GrpcTransportOptions) {}

  callOf({ path }: Method): Call {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const call = this.#clientOf(serviceOf(path))[name.charAt(0).toLowerCase() + name.slice(1)];
    if (!call) throw new Error(`unknown RPC ${path}`);
    return call;
  }

  close(): void {
    this.#clients.forEach((client) => client.close());
    this.#clients.clear();
  }

  #clientOf(service: ServiceKey): AnyClient {
    const openClient = this.#clients.get(service);
    if (openClient) return openClient;
    const { addressOf, credentials } = this.options;
    const client = createRpcClient(services[service] as ServiceContract, {
      address: addressOf(service),
      credentials: (this.#credentials ??= credentials()),
      timeoutMs: defaultTimeoutMs,
      maxMessageBytes,
      // `Caller` retries calls itself, whichever transport is used.
      isRetried: false,
    }) as unknown as AnyClient;
    this.#clients.set(service, client);
    return client;
  }
}

const keys = Object.keys(services) as ServiceKey[];
const prefixOf = (key: ServiceKey): string => {
  const methods: Readonly<Record<string, Method>> = services[key];
  const [first] = Object.values(methods);
  return first?.path.slice(0, first.path.lastIndexOf('/')) ?? '';
};
const keyOf = new Map(keys.map((key) => [prefixOf(key), key]));

function serviceOf(path: string): ServiceKey {
  const key = keyOf.get(path.slice(0, path.lastIndexOf('/')));
  if (!key) throw new Error(`unknown RPC ${path}`);
  return key;
}

function toRpcOptions({ authorization, signal, timeoutMs }: SentOptions): RpcOptions {
  return {
    ...(authorization !== undefined && { metadata: { authorization } }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

async function* partsOf(file: Upload): AsyncIterable<UploadFileRequest> {
  const { requestId, name, type: mimeType, bytes, sha256 } = file;
  yield { part: { $case: 'header', value: { requestId, name, mimeType, sha256 } } };
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield {
      part: { $case: 'chunk', value: Buffer.from(bytes.subarray(start, start + chunkBytes)) },
    };
}
