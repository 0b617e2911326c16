import type { Rpcs } from '@daycare/client';
import { fixedAuthority } from '@daycare/client/kit';
import { findAdminAccess } from '../../client/auth/admin-authorization';
import { withIdentity } from '../../client/auth/sign-in';
import { addressOf } from '../../client/contexts/address-of';
import type { NamedContext } from '../../client/contexts/context';
import { connectServices } from '../../client/rpc/connect';
import type { Settings } from '../../config';

/** What `asOperator` needs from a command's invocation. */
export interface OperatorAccess {
  readonly settings: Settings;
  readonly timeoutMs: number;
  readonly chosen: () => Promise<NamedContext>;
}

export interface OperatorOptions {
  readonly adminHeader?: string;
}

/** The services as an operator calls them. */
export interface OperatorClients {
  readonly identity: Rpcs['identity'];
  readonly 'social-graph': Rpcs['socialGraph'];
  readonly 'agent-runtime': Rpcs['agentRuntime'];
  readonly topology: Rpcs['topology'];
}

/**
 * Calls identity with the operator's credential, and the other services with a token that identity issues for it.
 * Revokes the token afterwards.
 */
export async function asOperator<T>(
  { settings, timeoutMs, chosen }: OperatorAccess,
  { adminHeader }: OperatorOptions,
  use: (clients: OperatorClients) => Promise<T>,
): Promise<T> {
  const named = await chosen();
  const { tls } = named.context;
  const access = findAdminAccess(named, adminHeader, settings);
  const peer = { context: named.name, timeoutMs, ...(tls ? { tls } : {}) };
  return withIdentity({ ...peer, ...access }, async (identity) => {
    const { tokens } = await identity.issueToken({ userId: '', agentId: '', publicKeyJwk: '' });
    const { accessToken = '', refreshToken = '' } = tokens ?? {};
    const daycare = connectServices({
      context: named.name,
      tls,
      timeoutMs,
      addressOf: (service) => addressOf(service, named, settings),
      authority: () => fixedAuthority(`Bearer ${accessToken}`),
    });
    const { socialGraph, agentRuntime, topology } = daycare.rpc;
    try {
      const others = { 'social-graph': socialGraph, 'agent-runtime': agentRuntime, topology };
      return await use({ identity, ...others });
    } finally {
      daycare.close();
      await identity.revokeToken({ token: refreshToken });
    }
  });
}
