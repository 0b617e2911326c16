import { isDaycareError } from '../transport/daycare-error';
import type { Authority } from './authority';

/** An access token, and what it is renewed with. */
export interface Tokens {
  /** Empty until the first access token has been fetched with the refresh token. */
  readonly access: string;
  /** A refresh token or another secret that is exchanged for a new access token; undefined if there is none. */
  readonly refresh?: string;
}

/** Where tokens are stored, for this process alone or shared by several. */
export interface TokenStore<T extends Tokens = Tokens> {
  readonly initial: T | undefined;
  /** Replaces the tokens with what `change` returns, one change at a time. Returns what is stored afterwards. */
  update(change: (stored: T | undefined) => Promise<T | undefined>): Promise<T | undefined>;
}

export interface TokenSourceOptions<T extends Tokens = Tokens> {
  readonly store: TokenStore<T>;
  /** Exchanges `refresh` of the stored tokens for new tokens. */
  readonly renew: (refreshToken: string) => Promise<T | undefined>;
  /** When the access token expires; by default, the time stated in the token. */
  readonly expiryMsOf?: (tokens: T) => number;
  readonly now?: () => number;
}

/** A token is renewed this long before it expires, because clocks differ and calls take time. */
const marginMs = 30_000;

/** Provides the token for calls and renews it, once for all calls that need it. */
export class TokenSource<T extends Tokens = Tokens> implements Authority {
  #tokens: T | undefined;
  #renewing: Promise<void> | undefined;

  constructor(private readonly options: TokenSourceOptions<T>) {
    this.#tokens = options.store.initial;
  }

  async authorization(): Promise<string | undefined> {
    if (this.#expiresWithin(marginMs, this.#tokens)) await this.#renewEarly();
    return this.#tokens && bearerOf(this.#tokens);
  }

  async renewAfterRefusal(refused: string | undefined): Promise<boolean> {
    if (this.#tokens && refused !== bearerOf(this.#tokens)) return true;
    if (this.#tokens?.refresh === undefined) return false;
    try {
      await this.#renew();
      return true;
    } catch (error) {
      if (isDaycareError(error, 'UNAUTHENTICATED')) return false;
      throw error;
    }
  }

  #expiresWithin(ms: number, tokens: T | undefined): boolean {
    if (tokens?.refresh === undefined) return false;
    const { now = Date.now, expiryMsOf: expiryOf = ({ access }) => expiryMsOf(access) } =
      this.options;
    return expiryOf(tokens) - now() < ms;
  }

  /** Renews the token before it expires. A failure does not matter while the token is still valid. */
  async #renewEarly(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      if (!isDaycareError(error) || this.#expiresWithin(0, this.#tokens)) throw error;
    }
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#replaceTokens().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /**
   * Renews the tokens, unless another process that shares the store has just done so; then its tokens are
   * used.
   */
  async #replaceTokens(): Promise<void> {
    const knownAccess = this.#tokens?.access;
    this.#tokens = await this.options.store.update(async (stored) => {
      if (stored?.refresh === undefined) return stored;
      const isNew = stored.access !== knownAccess && !this.#expiresWithin(marginMs, stored);
      return isNew ? stored : ((await this.options.renew(stored.refresh)) ?? stored);
    });
  }
}

/** Keeps tokens in this process; `onTokens` is called with every new pair. */
export function inMemoryStore(initial?: Tokens, onTokens?: (tokens: Tokens) => void): TokenStore {
  let tokens = initial;
  return {
    initial,
    async update(change) {
      const next = await change(tokens);
      if (next && next !== tokens) onTokens?.(next);
      return (tokens = next);
    },
  };
}

function bearerOf({ access }: Tokens): string {
  return `Bearer ${access}`;
}

/** Returns when a JWT expires: 0 for an empty token, Infinity for one that is not a JWT or does not expire. */
export function expiryMsOf(token: string): number {
  if (token === '') return 0;
  try {
    const [, payload = ''] = token.split('.');
    const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const { exp } = JSON.parse(json) as { exp?: number };
    return exp === undefined ? Infinity : exp * 1_000;
  } catch {
    return Infinity;
  }
}
