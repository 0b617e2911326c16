import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import type { RpcClient } from '@daycare/rpc';
import { findAdminAccess, type AdminAccess } from '../client/auth/admin-authorization';
import type { NamedContext } from '../client/contexts/context';
import { connect } from '../client/rpc/connect';
import type { Session } from '../client/session';
import type { Settings } from '../config';

/** A model may take its time before it fails. */
export const testTimeoutMs = 30_000;

export type Runtime = RpcClient<typeof AgentRuntimeServiceService>;

/** What is needed of a command's invocation. */
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

/** Calls agent-runtime as the operator when the options are about a role or the instance, else as the user. */
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
  const admin = findAdminAccess('agent-runtime', chosen, adminHeader, settings);
  return withAdmin(admin, { timeoutMs, chosen }, use);
}

export async function withAdmin<T>(
  { address, authorization }: AdminAccess,
  { timeoutMs, chosen }: { readonly timeoutMs: number; readonly chosen: NamedContext },
  use: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = connect(AgentRuntimeServiceService, {
    service: 'agent-runtime',
    address,
    context: chosen.name,
    tls: chosen.context.tls,
    timeoutMs,
    authorise: async () => authorization,
  });
  try {
    return await use(runtime);
  } finally {
    runtime.close();
  }
}
