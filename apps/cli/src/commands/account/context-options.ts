import { resolve } from 'node:path';
import { serviceNames } from '@daycare/local-stack/lookup';
import type { Context, TlsFiles } from '../../client/contexts/context';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { CommandSpec } from '../kit/command';

/** Properties of a context that can be set on the command line. */
export interface ContextOptions {
  readonly server?: string;
  readonly identity?: string;
  readonly socialGraph?: string;
  readonly agentRuntime?: string;
  readonly topology?: string;
  /** False after `--no-tls`; likewise for `tlsCa` and `tlsCert`. */
  readonly tls?: boolean;
  readonly tlsCa?: string | false;
  readonly tlsCert?: string | false;
  readonly tlsKey?: string;
}

export const contextOptions: NonNullable<CommandSpec<ContextOptions>['options']> = [
  [
    '--server <address>',
    'address of the gateway (host:port), through which all services are reached',
  ],
  ...serviceNames.map((name) => [`--${name} <address>`, `address of ${name} (host:port)`] as const),
  ['--tls', 'use TLS; without --tls-ca, trust the system certificate authorities'],
  ['--no-tls', 'stop using TLS; forgets the TLS files'],
  ['--tls-ca <file>', 'use TLS and trust this certificate authority (PEM)'],
  ['--no-tls-ca', 'trust the system certificate authorities again'],
  ['--tls-cert <file>', 'client certificate (PEM)'],
  ['--tls-key <file>', 'private key for the client certificate (PEM)'],
  ['--no-tls-cert', 'stop sending a client certificate; forgets its private key, too'],
];

/** Returns a context with the given options applied over its current values. */
export function applyOptions(context: Context, options: ContextOptions): Context {
  const { identity, socialGraph, agentRuntime, topology } = options;
  const ownAddresses = {
    identity,
    'social-graph': socialGraph,
    'agent-runtime': agentRuntime,
    topology,
  };
  const shared = serviceNames.map((name) => [name, options.server] as const);
  // A service's own address takes precedence over the gateway's.
  const entries = [...shared, ...Object.entries(ownAddresses)].filter(([, address]) => address);
  const addresses = Object.fromEntries(entries);
  const { tls: before, ...rest } = context;
  const tls = tlsOf(options, before);
  return {
    ...rest,
    addresses: { ...context.addresses, ...addresses },
    ...(tls ? { tls } : {}),
  };
}

function tlsOf(options: ContextOptions, before: TlsFiles | undefined): TlsFiles | undefined {
  const { tls, tlsCa: ca, tlsCert: cert, tlsKey: key } = options;
  const files = Object.entries({ ca, cert, key }).flatMap(([name, file]) =>
    file ? [[name, resolve(file)] as const] : [],
  );
  if (tls === false && files.length > 0)
    throw contradiction('--no-tls', '--tls-ca, --tls-cert or --tls-key');
  if (cert === false && key) throw contradiction('--no-tls-cert', '--tls-key');
  if (tls === false || !(before || tls || files.length > 0)) return undefined;
  const dropped = [...(ca === false ? ['ca'] : []), ...(cert === false ? ['cert', 'key'] : [])];
  const kept = Object.entries(before ?? {}).filter(([name]) => !dropped.includes(name));
  return Object.fromEntries([...kept, ...files]);
}

function contradiction(option: string, others: string): Failure {
  return new Failure(exitCodes.usage, `${option} cannot be combined with ${others}.`);
}
