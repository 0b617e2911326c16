import { toAppError, AppError } from '@daycare/api';
import type { TokenPair } from '@daycare/contracts/identity';
import { headerOf, type GatewayRequest, type GatewayResponse } from '../http/gateway-request';
import type { CallOrigin } from '../rpc/call-origin';
import type { IdentityCalls } from './identity-calls';
import { anotherUserError, expectedUserOf } from './expected-user';
import { isFromOwnPage, isReadOnly, type OwnOrigin } from './own-origin';
import type { BrowserTokens, SessionCookies } from './session-cookie';
import { SharedExchanges } from './shared-exchanges';
import { userOfToken } from './user-of-token';

export interface RequestAuthorityDeps {
  readonly identity: IdentityCalls;
  readonly cookies: SessionCookies;
  readonly ownOrigin: (request: GatewayRequest) => OwnOrigin | undefined;
  readonly now?: () => number;
}

/** Tokens are renewed this long before they expire, because clocks differ and calls take time. */
const renewBeforeMs = 60_000;
/** How long a renewal is shared with tabs that present the old refresh token; less than identity's grace period. */
const keepRefreshedMs = 25_000;
/** Short, because an access token becomes invalid before it expires if the key that signed it is removed. */
const keepExchangedMs = 30_000;
const personalPrefix = 'Bearer dcp_';
/**
 * Values of `Sec-Fetch-Site`, which only browsers send, for requests not caused by a page from another origin; empty if
 * the header is missing.
 */
const ownSites: readonly string[] = ['', 'same-origin', 'none'];

/**
 * Finds the token with which to forward a request: the access token that it carries, one for the personal access token
 * that it carries, or the one of its browser session.
 */
export class RequestAuthority {
  readonly #refreshed: SharedExchanges<BrowserTokens>;
  readonly #exchanged: SharedExchanges<BrowserTokens>;
  readonly #now: () => number;

  constructor(private readonly deps: RequestAuthorityDeps) {
    const { identity, now = Date.now } = deps;
    this.#now = now;
    this.#refreshed = new SharedExchanges({
      exchange: async (token, address) => toTokens(await identity.refresh(token, address)),
      keepMs: () => keepRefreshedMs,
    });
    this.#exchanged = new SharedExchanges({
      exchange: async (secret, address) => toTokens(await identity.exchange(secret, address)),
      keepMs: ({ accessExpiresAtMs }) =>
        Math.min(accessExpiresAtMs - now() - renewBeforeMs, keepExchangedMs),
    });
  }

  /**
   * Returns the call's origin: with the token to forward, if there is one, or with a `refusal`. Most requests carry
   * that token and need not wait.
   */
  authorise(
    request: GatewayRequest,
    response: GatewayResponse,
    origin: CallOrigin,
  ): CallOrigin | Promise<CallOrigin> {
    if (origin.refusal) return origin;
    if (origin.authorization.startsWith(personalPrefix)) return this.#exchange(origin);
    const cookie = headerOf(request, 'cookie');
    if (origin.authorization !== '' || cookie === '') return origin;
    const own = this.deps.ownOrigin(request);
    const tokens = own && this.deps.cookies.read(cookie, own.isSecure);
    if (!tokens) return origin;
    if (isReadOnly(request)) {
      // The cookie is ignored, as if the browser had not sent it.
      if (!ownSites.includes(headerOf(request, 'sec-fetch-site'))) return origin;
    } else if (!isFromOwnPage(request, own)) return { ...origin, refusal: foreignPage() };
    const expected = expectedUserOf(request);
    if (expected !== '' && expected !== userOfToken(tokens.accessToken))
      return { ...origin, refusal: anotherUserError() };
    return this.#withSession(tokens, own, response, origin);
  }

  async #exchange(origin: CallOrigin): Promise<CallOrigin> {
    const secret = origin.authorization.slice('Bearer '.length);
    try {
      return withToken(origin, await this.#exchanged.get(secret, origin.address));
    } catch (error) {
      return { ...origin, refusal: toAppError(error) };
    }
  }

  async #withSession(
    tokens: BrowserTokens,
    { isSecure }: OwnOrigin,
    response: GatewayResponse,
    origin: CallOrigin,
  ): Promise<CallOrigin> {
    const { cookies } = this.deps;
    if (tokens.accessExpiresAtMs - this.#now() > renewBeforeMs) return withToken(origin, tokens);
    try {
      const renewed = await this.#refreshed.get(tokens.refreshToken, origin.address);
      response.setHeader('set-cookie', cookies.keep(renewed, isSecure, this.#now()));
      return withToken(origin, renewed);
    } catch (error) {
      const failure = toAppError(error);
      if (failure.code !== 'UNAUTHENTICATED') return this.#withOldToken(tokens, origin, failure);
      // The session has ended, so the browser is signed out. It can still make the calls that need no token.
      response.setHeader('set-cookie', cookies.forget('session', isSecure));
      return origin;
    }
  }

  /** Keeps using a token that identity cannot renew at the moment, until the token expires. */
  #withOldToken(tokens: BrowserTokens, origin: CallOrigin, refusal: AppError): CallOrigin {
    const isValid = tokens.accessExpiresAtMs > this.#now();
    return isValid ? withToken(origin, tokens) : { ...origin, refusal };
  }
}

function withToken(origin: CallOrigin, { accessToken }: BrowserTokens): CallOrigin {
  return { ...origin, authorization: `Bearer ${accessToken}` };
}

/** Converts tokens to the form that a cookie stores. */
export function toTokens(pair: TokenPair): BrowserTokens {
  return {
    accessToken: pair.accessToken,
    accessExpiresAtMs: pair.accessExpiresAt?.getTime() ?? 0,
    refreshToken: pair.refreshToken,
    refreshExpiresAtMs: pair.refreshExpiresAt?.getTime() ?? 0,
  };
}

function foreignPage(): AppError {
  return new AppError(
    'PERMISSION_DENIED',
    'This request came from another site; only pages of this gateway can act as you',
  );
}
