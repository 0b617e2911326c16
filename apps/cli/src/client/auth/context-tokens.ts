import { isDaycareError } from '@daycare/client';
import { expiryMsOf, TokenSource, type Authority, type TokenStore } from '@daycare/client/kit';
import type { TokenPair } from '@daycare/contracts/identity';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { withContext, type NamedContext, type Tokens } from '../contexts/context';
import type { ContextStore } from '../contexts/context-store';

export interface ContextTokensOptions {
  readonly store: ContextStore;
  readonly chosen: NamedContext;
  readonly renew: (refreshToken: string) => Promise<TokenPair | undefined>;
}

/** Authorises calls with a context's token. Renewed tokens are stored in the context. */
export function contextAuthority(options: ContextTokensOptions): Authority {
  const { chosen, renew } = options;
  const source = new TokenSource<Tokens>({
    store: tokensOf(options),
    expiryMsOf: expiryOf,
    renew: async (refreshToken) => {
      const pair = await renew(refreshToken).catch((error: unknown) => {
        throw isDaycareError(error, 'UNAUTHENTICATED') ? expiredFailure(chosen) : error;
      });
      if (!pair) throw expiredFailure(chosen);
      return toTokens(pair);
    },
  });
  return {
    async authorization() {
      const { tokens } = chosen.context;
      if (!tokens) throw signInFailure(chosen, 'You are not signed in');
      if (!tokens.refresh && expiryOf(tokens) <= Date.now())
        throw signInFailure(chosen, 'The token has expired');
      const authorization = await source.authorization();
      if (authorization === undefined) throw signInFailure(chosen, 'You are no longer signed in');
      return authorization;
    },
    renewAfterRefusal: (authorization) => source.renewAfterRefusal(authorization),
  };
}

function expiryOf({ access, accessExpiresAt }: Tokens): number {
  return accessExpiresAt ? Date.parse(accessExpiresAt) : expiryMsOf(access);
}

/** Stores the context's tokens in the file that all commands share. */
function tokensOf({ store, chosen: { name, context } }: ContextTokensOptions): TokenStore<Tokens> {
  return {
    initial: context.tokens,
    async update(change) {
      const after = await store.update(async (before) => {
        const stored = before.contexts[name];
        const tokens = await change(stored?.tokens);
        return stored && tokens && tokens !== stored.tokens
          ? withContext(before, { name, context: { ...stored, tokens } })
          : before;
      });
      return after.contexts[name]?.tokens;
    },
  };
}

function expiredFailure(chosen: NamedContext): Failure {
  return signInFailure(chosen, 'Your sign-in has expired');
}

function signInFailure({ name }: NamedContext, what: string): Failure {
  const hint = 'Sign in with "daycare login".';
  return new Failure(exitCodes.refused, `${what} (context "${name}").`, hint);
}

/** Converts tokens to the form that a context stores. */
export function toTokens(pair: TokenPair): Tokens {
  return {
    access: pair.accessToken,
    ...(pair.accessExpiresAt && { accessExpiresAt: pair.accessExpiresAt.toISOString() }),
    ...(pair.refreshToken && { refresh: pair.refreshToken }),
    ...(pair.refreshExpiresAt && { refreshExpiresAt: pair.refreshExpiresAt.toISOString() }),
  };
}
