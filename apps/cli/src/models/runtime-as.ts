import type { Rpcs } from '@daycare/client';
import { fixedAuthority } from '@daycare/client/kit';
import { findAdminAccess, type AdminAccess } from '../client/auth/admin-authorization';
import { withIdentity } from '../client/auth/sign-in';
import { addressOf } from '../client/contexts/address-of';
import type { NamedContext } from '../client/contexts/context';
import { connectServices } from '../client/rpc/connect';
import type { Session } from '../client/session';
import type { Settings } from '../config';

/** The time limit for testing a model, which may take a long time to fail. */
export const testTimeoutMs = 30_000;

export type Runtime = Rpcs['agentRuntime'];

/** What `withRuntime` needs from a command's invocation. */
export interface RuntimeAccess {
  readonly settings: Settings;
  readonly timeoutMs: number;
  readonly chosen: () => Promise<NamedContext>;
  readonly session: () => Promise<Session>;
}

export interface AdminOptions {
  readonly instance?: boolean;
  readonly role?: string;
  readonly adminHeader?: string;
}

/** Calls agent-runtime as the operator if any of the options is given, else as the user. */
export async function withRuntime<T>(
  access: RuntimeAccess,
  options: AdminOptions,
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const { instance = false, role, adminHeader } = options;
  const isOperator = instance || role !== undefined || adminHeader !== undefined;
  if (!isOperator) return use((await access.session()).runtime);
  const chosen = await access.chosen();
  const { settings, timeoutMs } = access;
  const identity = findAdminAccess(chosen, adminHeader, settings);
  const address = addressOf('agent-runtime', chosen, settings);
  return withAdmin({ identity, address, timeoutMs, chosen }, use);
}

export interface AdminRuntime {
  readonly identity: AdminAccess;
  /** The address of agent-runtime. */
  readonly address: string;
  readonly timeoutMs: number;
  readonly chosen: NamedContext;
}

/** Exchanges the operator's credential, which only identity accepts, for a token that is revoked after the call. */
export async function withAdmin<T>(
  { identity: admin, address, timeoutMs, chosen }: AdminRuntime,
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const {
    name: context,
    context: { tls },
  } = chosen;
  const peer = { context, timeoutMs, ...(tls ? { tls } : {}) };
  return withIdentity({ ...peer, ...admin }, async (identity) => {
    const { tokens } = await identity.issueToken({ userId: '', agentId: '', publicKeyJwk: '' });
    const { accessToken = '', refreshToken = '' } = tokens ?? {};
    const daycare = connectServices({
      context,
      tls,
      timeoutMs,
      addressOf: () => address,
      authority: () => fixedAuthority(`Bearer ${accessToken}`),
    });
    try {
      return await use(daycare.rpc.agentRuntime);
    } finally {
      daycare.close();
      await identity.revokeToken({ token: refreshToken });
    }
  });
}
