import { resolve } from 'node:path';
import { serviceNames } from '@daycare/local-stack/lookup';
import type { Context, TlsFiles } from '../../client/contexts/context';
import type { CommandSpec } from '../kit/command';

/** Properties of a context that can be set on the command line. */
export interface ContextOptions {
  readonly server?: string;
  readonly identity?: string;
  readonly socialGraph?: string;
  readonly agentRuntime?: string;
  readonly topology?: string;
  readonly tls?: boolean;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export const contextOptions: NonNullable<CommandSpec<ContextOptions>['options']> = [
  [
    '--server <address>',
    'address of the gateway (host:port), through which all services are reached',
  ],
  ...serviceNames.map((name) => [`--${name} <address>`, `address of ${name} (host:port)`] as const),
  ['--tls', 'use TLS; without --tls-ca, trust the system certificate authorities'],
  ['--tls-ca <file>', 'use TLS and trust this certificate authority (PEM)'],
  ['--tls-cert <file>', 'client certificate (PEM)'],
  ['--tls-key <file>', 'private key for the client certificate (PEM)'],
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
  // An address of its own takes precedence over the gateway's.
  const entries = [...shared, ...Object.entries(ownAddresses)].filter(([, address]) => address);
  const addresses = Object.fromEntries(entries);
  const tls = tlsOf(options, context.tls);
  return {
    ...context,
    addresses: { ...context.addresses, ...addresses },
    ...(tls ? { tls } : {}),
  };
}

function tlsOf(options: ContextOptions, before: TlsFiles | undefined): TlsFiles | undefined {
  const { tls, tlsCa: ca, tlsCert: cert, tlsKey: key } = options;
  if (!tls && !ca && !cert && !key) return before;
  const files = Object.entries({ ca, cert, key }).flatMap(([name, file]) =>
    file ? [[name, resolve(file)] as const] : [],
  );
  return { ...before, ...Object.fromEntries(files) };
}
