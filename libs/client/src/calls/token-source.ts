import type { TokenPair } from '@daycare/contracts/identity';
import { isDaycareError } from '../transport/daycare-error';

/** Tokens as `RefreshToken` returns them. */
export interface Tokens {
  readonly access: string;
  /** Renews the access token; without it, the access token is all there is. */
  readonly refresh?: string;
}

/** A personal access token or an access token, a pair that is renewed, or a function that returns a valid one. */
export type TokenOption = string | Tokens | (() => string | Promise<string>);

export interface TokenSourceOptions {
  readonly token: TokenOption | undefined;
  readonly refresh: (refreshToken: string) => Promise<TokenPair | undefined>;
  /** Called with every new pair: the old refresh token is used up, so store the new one. */
  readonly onTokens?: ((tokens: Tokens) => void) | undefined;
  readonly now?: () => number;
}

/** Renew a token this long before it expires: clocks differ, and calls take time. */
const marginMs = 30_000;

/** Provides the token of calls and renews it, once for all calls that need it. */
export class TokenSource {
  #tokens: Tokens | undefined;
  #renewing: Promise<void> | undefined;

  constructor(private readonly options: TokenSourceOptions) {
    const { token } = options;
    if (typeof token === 'string') this.#tokens = { access: token };
    else if (typeof token === 'object') this.#tokens = token;
  }

  /** The value of `authorization`. */
  async authorization(): Promise<string | undefined> {
    const { token } = this.options;
    if (typeof token === 'function') return `Bearer ${await token()}`;
    if (this.#expiresWithin(marginMs)) await this.#renewEarly();
    return this.#tokens && `Bearer ${this.#tokens.access}`;
  }

  /** After a call was refused: whether it may succeed with another token, which has been fetched then. */
  async renewAfterRefusal(refused: string | undefined): Promise<boolean> {
    if (typeof this.options.token === 'function') return true;
    if (this.#tokens && refused !== `Bearer ${this.#tokens.access}`) return true;
    if (this.#tokens?.refresh === undefined) return false;
    try {
      await this.#renew();
      return true;
    } catch (error) {
      if (isDaycareError(error, 'UNAUTHENTICATED')) return false;
      throw error;
    }
  }

  #expiresWithin(ms: number): boolean {
    if (this.#tokens?.refresh === undefined) return false;
    const { now = Date.now } = this.options;
    return expiryMsOf(this.#tokens.access) - now() < ms;
  }

  /** While the token is still valid, it does not matter that it cannot be renewed now. */
  async #renewEarly(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      if (!isDaycareError(error) || this.#expiresWithin(0)) throw error;
    }
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#refresh().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #refresh(): Promise<void> {
    const pair = await this.options.refresh(this.#tokens?.refresh ?? '');
    if (!pair) return;
    const { accessToken: access, refreshToken: refresh } = pair;
    this.#tokens = { access, ...(refresh && { refresh }) };
    this.options.onTokens?.(this.#tokens);
  }
}

/** When a JWT expires; never, if the token is none. */
function expiryMsOf(token: string): number {
  try {
    const [, payload = ''] = token.split('.');
    const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const { exp } = JSON.parse(json) as { exp?: number };
    return exp === undefined ? Infinity : exp * 1_000;
  } catch {
    return Infinity;
  }
}
