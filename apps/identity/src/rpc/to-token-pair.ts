import type { TokenPair } from '@daycare/contracts/identity';
import type { IssuedTokens } from '../usecases/tokens/token-mint';

export function toTokenPair({ accessToken, accessExpiresAt, refresh }: IssuedTokens): TokenPair {
  return {
    accessToken,
    accessExpiresAt,
    refreshToken: refresh?.token ?? '',
    refreshExpiresAt: refresh?.expiresAt,
  };
}
