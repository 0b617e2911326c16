import type { TokenPair } from '@daycare/contracts/identity';
import { CallFailure } from '../../failure/call-failure';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { withContext, type NamedContext, type Tokens } from '../contexts/context';
import type { ContextStore } from '../contexts/context-store';
import { expiryOf } from './token-claims';

/** Renew a token this long before it expires: clocks differ, and calls take time. */
const marginMs = 30_000;

export interface AccessTokenSourceOptions {
  readonly store: ContextStore;
  readonly chosen: NamedContext;
  readonly refresh: (refreshToken: string) => Promise<TokenPair | undefined>;
  readonly now?: () => number;
}

/** Provides the access token of a context; renews and stores it before it expires. */
export class AccessTokenSource {
  readonly #options: AccessTokenSourceOptions;
  #tokens: Tokens | undefined;

  constructor(options: AccessTokenSourceOptions) {
    this.#options = options;
    this.#tokens = options.chosen.context.tokens;
  }

  async access(): Promise<string> {
    if (!this.#tokens) throw this.#refused('You are not signed in');
    if (!this.#isFresh(this.#tokens)) this.#tokens = await this.#renew();
    return this.#tokens.access;
  }

  /** Another command may have renewed the tokens a moment ago; then use those. */
  async #renew(): Promise<Tokens> {
    const { store, chosen } = this.#options;
    const after = await store.update(async (before) => {
      const context = before.contexts[chosen.name];
      if (!context?.tokens || this.#isFresh(context.tokens)) return before;
      const tokens = await this.#refresh(context.tokens);
      return withContext(before, { name: chosen.name, context: { ...context, tokens } });
    });
    const tokens = after.contexts[chosen.name]?.tokens;
    if (!tokens) throw this.#refused('You are no longer signed in');
    return tokens;
  }

  async #refresh({ refresh }: Tokens): Promise<Tokens> {
    if (!refresh) throw this.#refused('The token has expired');
    const pair = await this.#options.refresh(refresh).catch((error: unknown) => {
      const isExpired = error instanceof CallFailure && error.error.code === 'UNAUTHENTICATED';
      throw isExpired ? this.#refused('Your sign-in has expired') : error;
    });
    if (!pair) throw this.#refused('Your sign-in has expired');
    return toTokens(pair);
  }

  #isFresh({ access, accessExpiresAt }: Tokens): boolean {
    const expiresMs = accessExpiresAt ? Date.parse(accessExpiresAt) : expiryOf(access);
    return expiresMs - (this.#options.now ?? Date.now)() > marginMs;
  }

  #refused(what: string): Failure {
    const { name } = this.#options.chosen;
    return new Failure(
      exitCodes.refused,
      `${what} (context "${name}").`,
      'Sign in with "daycare login".',
    );
  }
}

/** Tokens in the form in which a context stores them. */
export function toTokens(pair: TokenPair): Tokens {
  return {
    access: pair.accessToken,
    ...(pair.accessExpiresAt && { accessExpiresAt: pair.accessExpiresAt.toISOString() }),
    ...(pair.refreshToken && { refresh: pair.refreshToken }),
    ...(pair.refreshExpiresAt && { refreshExpiresAt: pair.refreshExpiresAt.toISOString() }),
  };
}
