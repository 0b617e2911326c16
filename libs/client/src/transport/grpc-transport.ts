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
  uploadTimeoutMs,
  type Method,
  type SentOptions,
  type Transport,
  type Upload,
} from './transport';

type Call = (request: unknown, options: RpcOptions) => unknown;
type AnyClient = Readonly<Record<string, Call | undefined>> & { close(): void };

const maxMessageBytes = 64 << 20;
const chunkBytes = 512 << 10;

/** Calls over gRPC: one connection to a gateway for everything. */
export function createGrpcTransport(url: string): Transport {
  const clients = openClients(url);
  const callOf = ({ path }: Method): Call => {
    const [, service = '', name = ''] = path.split('/');
    const call = clients.get(service)?.[name.charAt(0).toLowerCase() + name.slice(1)];
    if (!call) throw new Error(`there is no ${path}`);
    return call;
  };
  return {
    unary: (method, request, options) =>
      translated(async () => callOf(method)(request, toRpcOptions(options))),
    stream: (method, request, options) =>
      translatedStream(() => callOf(method)(request, toRpcOptions(options))),
    upload: (file, options) =>
      translated(async () =>
        callOf(services.agentRuntime.uploadFile)(
          partsOf(file),
          toRpcOptions({ ...options, timeoutMs: options.timeoutMs ?? uploadTimeoutMs }),
        ),
      ),
    close: () => clients.forEach((client) => client.close()),
  };
}

function openClients(url: string): ReadonlyMap<string, AnyClient> {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  const address = `${hostname}:${port || (isSecure ? '443' : '80')}`;
  const credentials = isSecure
    ? ChannelCredentials.createSsl()
    : ChannelCredentials.createInsecure();
  const contracts: Readonly<Record<string, Method>>[] = Object.values(services);
  const all = contracts.map((contract) => {
    const [first] = Object.values(contract);
    const [, service = ''] = first?.path.split('/') ?? [];
    const options = { address, credentials, timeoutMs: defaultTimeoutMs, maxMessageBytes };
    return [service, createRpcClient(contract as ServiceContract, options)] as const;
  });
  return new Map(all);
}

function toRpcOptions({ authorization, signal, timeoutMs }: SentOptions): RpcOptions {
  return {
    ...(authorization !== undefined && { metadata: { authorization } }),
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

async function* partsOf(file: Upload): AsyncIterable<UploadFileRequest> {
  const { requestId, name, type: mimeType, bytes } = file;
  yield { part: { $case: 'header', value: { requestId, name, mimeType, sha256: '' } } };
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield {
      part: { $case: 'chunk', value: Buffer.from(bytes.subarray(start, start + chunkBytes)) },
    };
}

async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toDaycareError(error);
  }
}

async function* translatedStream(call: () => unknown): AsyncGenerator {
  try {
    yield* call() as AsyncIterable<unknown>;
  } catch (error) {
    throw toDaycareError(error);
  }
}

function toDaycareError(error: unknown): unknown {
  return error instanceof AppError ? new DaycareError(error) : error;
}
