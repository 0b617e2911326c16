import { resolve } from 'node:path';
import { serviceNames } from '@daycare/local-stack/lookup';
import type { Context, TlsFiles } from '../client/context';
import type { CommandSpec } from './command';

/** What a person can say of a context on the command line. */
export interface ContextOptions {
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
  ...serviceNames.map((name) => [`--${name} <address>`, `where ${name} is, as host:port`] as const),
  ['--tls', 'encrypt, and believe the authorities of the system'],
  ['--tls-ca <file>', 'encrypt, and believe this authority (PEM)'],
  ['--tls-cert <file>', 'a certificate to show (PEM)'],
  ['--tls-key <file>', 'its key (PEM)'],
];

/** A context with what was said put in place of what was there. */
export function applyOptions(context: Context, options: ContextOptions): Context {
  const { identity, socialGraph, agentRuntime, topology } = options;
  const given = { identity, 'social-graph': socialGraph, 'agent-runtime': agentRuntime, topology };
  const addresses = Object.fromEntries(Object.entries(given).filter(([, address]) => address));
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
  const given = Object.entries({ ca, cert, key }).flatMap(([name, file]) =>
    file ? [[name, resolve(file)] as const] : [],
  );
  return { ...before, ...Object.fromEntries(given) };
}
