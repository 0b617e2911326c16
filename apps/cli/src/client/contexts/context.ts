import type { AppName } from '@daycare/local-stack/lookup';

/** PEM files; without a CA the system certificate authorities are trusted. */
export interface TlsFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface Tokens {
  readonly access: string;
  readonly accessExpiresAt?: string;
  readonly refresh?: string;
  readonly refreshExpiresAt?: string;
}

export interface SignedInUser {
  readonly id: string;
  readonly nametag: string;
  readonly name: string;
}

export type Addresses = Readonly<Partial<Record<AppName, string>>>;

/** The addresses of services, and the sign-in to use with them. */
export interface Context {
  /** The data folder of a local stack. While the stack runs, its addresses take precedence over `addresses`. */
  readonly stack?: string;
  readonly addresses?: Addresses;
  /** If absent, calls are unencrypted. */
  readonly tls?: TlsFiles;
  readonly user?: SignedInUser;
  readonly tokens?: Tokens;
}

/** All contexts, and the one that commands use by default. */
export interface Contexts {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

/** A context with its name. */
export interface NamedContext {
  readonly name: string;
  readonly context: Context;
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export function isContextName(name: string): boolean {
  return namePattern.test(name);
}

/** Returns the contexts with one of them added or replaced. */
export function withContext(all: Contexts, { name, context }: NamedContext): Contexts {
  return { ...all, contexts: { ...all.contexts, [name]: context } };
}

/** Returns the contexts without one of them; no context is current afterwards if that one was. */
export function withoutContext({ current, contexts }: Contexts, name: string): Contexts {
  const { [name]: _removed, ...rest } = contexts;
  return { ...(current === undefined || current === name ? {} : { current }), contexts: rest };
}
