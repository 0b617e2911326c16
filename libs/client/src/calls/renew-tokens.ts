import type { TokenPair } from '@daycare/contracts/identity';
import type { Rpcs } from './rpc';
import type { Tokens } from './token-source';

type Exchanges = Pick<Rpcs['identity'], 'refreshToken' | 'exchangeAccessToken'>;

/** Reports whether `token` is a personal access token, which the gateway accepts in calls but services do not. */
export function isPersonalToken(token: string): boolean {
  return token.startsWith('dcp_');
}

/**
 * Exchanges a refresh token for the next pair of tokens, or a personal access token for an access token. A personal
 * access token can be exchanged again, so it is returned as the refresh token.
 */
export async function renewTokens(
  identity: Exchanges,
  token: string,
): Promise<TokenPair | undefined> {
  if (!isPersonalToken(token)) return (await identity.refreshToken({ refreshToken: token })).tokens;
  const { tokens } = await identity.exchangeAccessToken({ secret: token });
  return tokens && { ...tokens, refreshToken: token };
}

export function toTokens({ accessToken: access, refreshToken: refresh }: TokenPair): Tokens {
  return { access, ...(refresh && { refresh }) };
}
