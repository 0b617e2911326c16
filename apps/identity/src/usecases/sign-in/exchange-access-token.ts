import { AppError, FieldChecks } from '@daycare/api';
import { isUseWorthStoring } from '../../domain/sign-in/personal-token';
import type { PersonalTokenStore } from '../../store/sign-in/personal-token-store';
import type { UserStore } from '../../store/user-store';
import { findBySecret } from '../tokens/personal-secret';
import type { IssuedTokens, TokenMint } from '../tokens/token-mint';

export interface ExchangeAccessTokenDeps {
  readonly users: UserStore;
  readonly personalTokens: PersonalTokenStore;
  readonly mint: TokenMint;
  /** Whether a secret or provider is still configured. */
  readonly isInUse: (credentialId: string) => boolean;
  readonly now: () => Date;
}

/** Exchanges a personal access token's secret for an access token, any number of times until the token ends. */
export function makeExchangeAccessToken(deps: ExchangeAccessTokenDeps) {
  const { users, personalTokens, mint, now } = deps;
  return async (text: string): Promise<IssuedTokens> => {
    new FieldChecks().require(text !== '', 'secret', 'is required').done();
    const token = await findBySecret(deps, text);
    if (!token || !deps.isInUse(token.opener.credentialId)) throw refused();
    const { holder } = token;
    if (holder.kind === 'user' && !(await users.findById(holder.userId))) throw refused();
    // Unless a use was stored within the last five minutes, this one is stored before an access token is issued, so
    // that `endPersonalToken` knows that there are access tokens to revoke.
    const isLiving =
      !isUseWorthStoring(token, now()) || (await personalTokens.recordUse(token, now()));
    if (!isLiving) throw refused();
    return mint.issueForPersonalToken(token);
  };
}

/** The same error whether the token is unknown or has ended, its user was deleted, or its opener is not configured. */
function refused(): AppError {
  return new AppError('UNAUTHENTICATED', 'The personal access token is not valid');
}
