import { readFileSync } from 'node:fs';
import { ChannelCredentials } from '@grpc/grpc-js';
import { AppError } from '@daycare/api';
import type { ServiceName } from '@daycare/local-stack/lookup';
import {
  createRpcClient,
  type CallOptions,
  type RpcClient,
  type ServiceContract,
} from '@daycare/rpc';
import { CallFailure, type TokenStatus } from '../../failure/call-failure';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { TlsFiles } from '../contexts/context';

export interface Peer {
  readonly service: ServiceName;
  readonly address: string;
  /** The context that the call belongs to. */
  readonly context: string;
  readonly tls: TlsFiles | undefined;
  readonly timeoutMs: number;
  /** The token came from DAYCARE_TOKEN, not from the context. */
  readonly isTokenGiven?: boolean;
  /**
   * The `authorization` header of the next call; undefined for an unauthenticated call. `refused` is one that a service
   * has just refused.
   */
  readonly authorise: (refused?: string) => Promise<string | undefined>;
}

type Unary = (request: unknown, options?: CallOptions) => Promise<unknown>;
type Streaming = (request: unknown, options?: CallOptions) => AsyncIterable<unknown>;

/** A client that authenticates every call and throws CallFailures. */
export function connect<S extends ServiceContract>(contract: S, peer: Peer): RpcClient<S> {
  const client = createRpcClient(contract, {
    address: peer.address,
    timeoutMs: peer.timeoutMs,
    credentials: channelCredentials(peer.tls),
    maxMessageBytes: 64 << 20,
  });
  const calls = Object.entries(contract).map(([name, { responseStream }]) => {
    const call = client[name] as unknown;
    return [name, responseStream ? stream(call as Streaming, peer) : unary(call as Unary, peer)];
  });
  return { ...Object.fromEntries(calls), close: () => client.close() } as RpcClient<S>;
}

function unary(call: Unary, peer: Peer): Unary {
  return async (request, options) => {
    const authorised = await withAuthorisation(options, peer);
    return call(request, authorised).catch((error: unknown) => {
      throw toFailure(error, peer);
    });
  };
}

function stream(call: Streaming, peer: Peer): Streaming {
  return async function* (request, options) {
    const authorised = await withAuthorisation(options, peer);
    try {
      yield* call(request, authorised);
    } catch (error) {
      throw toFailure(error, peer, { isRenewed: await isRenewed(error, authorised, peer) });
    }
  };
}

/** A stream can outlive its token; by now there may be a newer one for the next call. */
async function isRenewed(error: unknown, sent: CallOptions, { authorise }: Peer): Promise<boolean> {
  if (!(error instanceof AppError) || error.code !== 'UNAUTHENTICATED') return false;
  const refused = sent.metadata?.['authorization'];
  return (await authorise(refused)) !== refused;
}

async function withAuthorisation(
  options: CallOptions | undefined,
  { authorise }: Peer,
): Promise<CallOptions> {
  const authorization = options?.metadata?.['authorization'] ?? (await authorise());
  return authorization === undefined
    ? { ...options }
    : { ...options, metadata: { ...options?.metadata, authorization } };
}

function toFailure(error: unknown, peer: Peer, token: TokenStatus = {}): unknown {
  if (!(error instanceof AppError)) return error;
  const { service, address, context, isTokenGiven = false } = peer;
  return new CallFailure(service, address, context, error, { ...token, isGiven: isTokenGiven });
}

function channelCredentials(tls: TlsFiles | undefined): ChannelCredentials {
  if (!tls) return ChannelCredentials.createInsecure();
  try {
    const [ca, key, cert] = [tls.ca, tls.key, tls.cert].map((file) =>
      file ? readFileSync(file) : null,
    );
    return ChannelCredentials.createSsl(ca, key, cert);
  } catch (error) {
    throw new Failure(
      exitCodes.usage,
      `Cannot use the TLS files: ${(error as Error).message}`,
      'Change them with "daycare context set NAME --tls-ca FILE --tls-cert FILE --tls-key FILE".',
    );
  }
}
