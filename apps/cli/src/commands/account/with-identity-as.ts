import { findAdminAccess } from '../../client/auth/admin-authorization';
import { withIdentity, type Identity } from '../../client/auth/sign-in';
import type { NamedContext } from '../../client/contexts/context';
import type { Session } from '../../client/session';
import type { Settings } from '../../config';

export type { Identity };

/** The parts of an invocation that are needed to call identity. */
export interface IdentityInvocation {
  readonly settings: Settings;
  readonly timeoutMs: number;
  readonly chosen: () => Promise<NamedContext>;
  readonly session: () => Promise<Session>;
}

/** Calls identity as the operator, or else as the user of the context. */
export async function withIdentityAs<T>(
  { settings, timeoutMs, chosen, session }: IdentityInvocation,
  { isOperator, adminHeader }: { isOperator: boolean; adminHeader: string | undefined },
  use: (identity: Identity) => Promise<T>,
): Promise<T> {
  if (!isOperator) return use((await session()).identity);
  const context = await chosen();
  const { tls } = context.context;
  const access = findAdminAccess(context, adminHeader, settings);
  const peer = { context: context.name, timeoutMs, ...(tls ? { tls } : {}) };
  return withIdentity({ ...peer, ...access }, use);
}
