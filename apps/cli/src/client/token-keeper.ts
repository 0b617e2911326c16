import type { TokenPair } from '@daycare/contracts/identity';
import { CallFailure } from '../failure/call-failure';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { withContext, type NamedContext, type Tokens } from './context';
import type { ContextStore } from './context-store';
import { expiryOf } from './token-claims';

/** A token that ends sooner is exchanged first: clocks differ, and calls take time. */
const reserveMs = 30_000;

export interface TokenKeeperOptions {
  readonly store: ContextStore;
  readonly chosen: NamedContext;
  readonly refresh: (refreshToken: string) => Promise<TokenPair | undefined>;
  readonly now?: () => number;
}

/** Has the access token of a context at hand; exchanges and stores it when its time is up. */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  #tokens: Tokens | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#tokens = options.chosen.context.tokens;
  }

  async access(): Promise<string> {
    if (!this.#tokens) throw this.#refused('You are not signed in');
    if (!this.#isFresh(this.#tokens)) this.#tokens = await this.#exchange();
    return this.#tokens.access;
  }

  /** Another command may have exchanged them a moment ago; then its tokens are taken over. */
  async #exchange(): Promise<Tokens> {
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
      const isOver = error instanceof CallFailure && error.error.code === 'UNAUTHENTICATED';
      throw isOver ? this.#refused('The sign-in has expired') : error;
    });
    if (!pair) throw this.#refused('The sign-in has expired');
    return toTokens(pair);
  }

  #isFresh({ access, accessExpiresAt }: Tokens): boolean {
    const expiresMs = accessExpiresAt ? Date.parse(accessExpiresAt) : expiryOf(access);
    return expiresMs - (this.#options.now ?? Date.now)() > reserveMs;
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

/** Tokens as a context keeps them. */
export function toTokens(pair: TokenPair): Tokens {
  return {
    access: pair.accessToken,
    ...(pair.accessExpiresAt && { accessExpiresAt: pair.accessExpiresAt.toISOString() }),
    ...(pair.refreshToken && { refresh: pair.refreshToken }),
    ...(pair.refreshExpiresAt && { refreshExpiresAt: pair.refreshExpiresAt.toISOString() }),
  };
}
