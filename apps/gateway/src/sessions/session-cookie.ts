import { Sealer } from '@daycare/service-kit';

/** A browser session's tokens, as the cookie stores them. */
export interface BrowserTokens {
  readonly accessToken: string;
  /** Epoch milliseconds. */
  readonly accessExpiresAtMs: number;
  readonly refreshToken: string;
  readonly refreshExpiresAtMs: number;
}

/** What a cookie is for; it cannot be opened for any other purpose. */
type Purpose = 'session' | 'sign-in';

const names: Readonly<Record<Purpose, string>> = {
  session: 'daycare-session',
  'sign-in': 'daycare-sign-in',
};

/** Browsers refuse larger cookies. A session's tokens take about a quarter of this. */
const maxCookieLength = 4_000;

export interface CookieOptions {
  /** Any text that is hard to guess, the same for all replicas. */
  readonly key: string;
}

/**
 * Writes and reads browsers' cookies. Scripts cannot read them, and their content is encrypted.
 */
export class SessionCookies {
  readonly #sealer: Sealer;

  constructor({ key }: CookieOptions) {
    this.#sealer = new Sealer(key, 'gateway sessions');
  }

  /**
   * Returns the `Set-Cookie` value that stores the tokens in the browser. The browser never sends the cookie
   * with requests from other sites.
   */
  keep(tokens: BrowserTokens, isSecure: boolean, nowMs: number): string {
    const maxAge = secondsUntil(tokens.refreshExpiresAtMs, nowMs);
    const value = this.#sealer.seal(JSON.stringify(tokens), 'session');
    return cookie('session', value, { isSecure, maxAge, sameSite: 'Strict' });
  }

  /**
   * Returns the `Set-Cookie` value for a sign-in's secret. SameSite is `Lax`, because the browser returns from the
   * provider's page.
   */
  keepSignInSecret(secret: string, isSecure: boolean, maxAge: number): string {
    const value = this.#sealer.seal(secret, 'sign-in');
    return cookie('sign-in', value, { isSecure, maxAge, sameSite: 'Lax' });
  }

  forget(purpose: Purpose, isSecure: boolean): string {
    return cookie(purpose, '', { isSecure, maxAge: 0, sameSite: 'Strict' });
  }

  /** Returns the tokens in a `Cookie` header; undefined if there is no session cookie that can be opened. */
  read(header: string, isSecure: boolean): BrowserTokens | undefined {
    const text = this.#open(header, 'session', isSecure);
    return text === undefined ? undefined : (JSON.parse(text) as BrowserTokens);
  }

  readSignInSecret(header: string, isSecure: boolean): string | undefined {
    return this.#open(header, 'sign-in', isSecure);
  }

  #open(header: string, purpose: Purpose, isSecure: boolean): string | undefined {
    const prefix = `${nameOf(purpose, isSecure)}=`;
    const pair = header.split(/; */).find((nameAndValue) => nameAndValue.startsWith(prefix));
    if (pair === undefined || pair.length > maxCookieLength) return undefined;
    try {
      return this.#sealer.open(pair.slice(prefix.length), purpose);
    } catch {
      return undefined;
    }
  }
}

interface Attributes {
  readonly isSecure: boolean;
  readonly maxAge: number;
  readonly sameSite: 'Strict' | 'Lax';
}

/** With the prefix `__Host-`, a browser accepts the cookie only from this host and over TLS. */
function nameOf(purpose: Purpose, isSecure: boolean): string {
  return `${isSecure ? '__Host-' : ''}${names[purpose]}`;
}

function cookie(purpose: Purpose, value: string, { isSecure, maxAge, sameSite }: Attributes) {
  const attributes = [
    `${nameOf(purpose, isSecure)}=${value}`,
    'Path=/',
    `Max-Age=${maxAge}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
  ];
  return [...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

function secondsUntil(atMs: number, nowMs: number): number {
  return Math.max(Math.floor((atMs - nowMs) / 1_000), 0);
}
