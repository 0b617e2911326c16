import type { Daycare } from '@daycare/client';
import {
  connectWithAuthority,
  createGrpcTransport,
  type AuthorityConnectOptions,
  type ServiceKey,
} from '@daycare/client/kit';
import type { ServiceName } from '@daycare/local-stack/lookup';
import { CallFailure } from '../../failure/call-failure';
import type { TlsFiles } from '../contexts/context';
import { tlsCredentials } from './tls-credentials';

const nameOf: Readonly<Record<ServiceKey, ServiceName>> = {
  identity: 'identity',
  socialGraph: 'social-graph',
  agentRuntime: 'agent-runtime',
  topology: 'topology',
};

/**
 * Fewer than the client makes by default, so that a command reports soon that a service is down: the pauses between
 * five attempts take less than two seconds in total.
 */
const maxAttempts = 5;

export interface ConnectOptions extends Pick<AuthorityConnectOptions, 'authority'> {
  readonly addressOf: (service: ServiceName) => string;
  /** The name of the context, which is shown when a call fails. */
  readonly context: string;
  readonly tls: TlsFiles | undefined;
  readonly timeoutMs: number;
  /** Whether the token came from DAYCARE_TOKEN, not from the context. */
  readonly isTokenFromEnvironment?: boolean;
}

/** Calls the services directly, each at its own address. Calls throw CallFailures. */
export function connectServices(options: ConnectOptions): Daycare {
  const { addressOf, context, tls, timeoutMs, authority, isTokenFromEnvironment } = options;
  const transport = createGrpcTransport({
    addressOf: (service) => addressOf(nameOf[service]),
    credentials: () => tlsCredentials(tls),
    toError: (error, key) => {
      const service = nameOf[key];
      return new CallFailure(service, addressOf(service), context, error, isTokenFromEnvironment);
    },
  });
  return connectWithAuthority({ transport, authority, timeoutMs, maxAttempts });
}
