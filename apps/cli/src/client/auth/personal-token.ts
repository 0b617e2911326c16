import type { IdentityServiceService, TokenPair } from '@daycare/contracts/identity';
import type { RpcClient } from '@daycare/rpc';

/** Whether it is the secret of a personal access token, which services do not accept themselves. */
export function isPersonalToken(token: string): boolean {
  return token.startsWith('dcp_');
}

/** The next tokens, for a refresh token or for a personal access token, which stays the same. */
export async function renewTokens(
  identity: RpcClient<typeof IdentityServiceService>,
  token: string,
): Promise<TokenPair | undefined> {
  if (!isPersonalToken(token)) return (await identity.refreshToken({ refreshToken: token })).tokens;
  const { tokens } = await identity.exchangeAccessToken({ secret: token });
  return tokens && { ...tokens, refreshToken: token };
}
