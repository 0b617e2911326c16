import { AppError, toAppError } from '@daycare/api';
import type { TokenPair } from '@daycare/contracts/identity';
import {
  addCookies,
  headerOf,
  respond,
  type GatewayRequest,
  type GatewayResponse,
} from '../http/gateway-request';
import type { Route } from '../http/start-gateway';
import type { CallOrigin } from '../rpc/call-origin';
import { isAnotherUserError } from '../sessions/expected-user';
import type { IdentityCalls } from '../sessions/identity-calls';
import { isFromOwnPage, type OwnOrigin } from '../sessions/own-origin';
import { toTokens } from '../sessions/request-authority';
import type { SessionCookies } from '../sessions/session-cookie';
import { html, redirect, respondPage, styles, type Page } from './html';
import { readForm } from './read-form';
import { signInPage } from './texts';

export interface SignInPagesDeps {
  readonly identity: IdentityCalls;
  readonly cookies: SessionCookies;
  readonly ownOrigin: (request: GatewayRequest) => OwnOrigin | undefined;
}

/** A request for a page, where it comes from, and the origin under which the browser reached this gateway. */
interface Visit {
  readonly request: GatewayRequest;
  readonly response: GatewayResponse;
  readonly origin: CallOrigin;
  readonly site: OwnOrigin;
}

type Handle = (visit: Visit) => Promise<void>;

const callbackPath = '/sign-in/callback';
/** How long identity remembers a sign-in that has begun. */
const signInSeconds = 600;

/** Makes the routes of the pages that sign a browser in and out, by path. */
export function makeSignInPages(deps: SignInPagesDeps): ReadonlyMap<string, Route> {
  const { identity, cookies } = deps;

  const keep = ({ response, site }: Visit, pair: TokenPair): void => {
    const sessionCookie = cookies.keep(toTokens(pair), site.isSecure, Date.now());
    response.setHeader('set-cookie', [sessionCookie, cookies.forget('sign-in', site.isSecure)]);
  };

  const signIn: Handle = async ({ request, response, origin, site }) => {
    const { searchParams } = new URL(request.url ?? '', site.origin);
    const providers = await identity.listProviders(origin.address);
    respondPage(response, signInPage(providers, searchParams.get('code') ?? ''));
  };

  const signInWithCode: Handle = async (visit) => {
    const form = await readForm(visit.request);
    const code = (form.get('code') ?? '').trim();
    keep(visit, await identity.signInWithCode(code, visit.origin.address));
    redirect(visit.response, '/');
  };

  const beginAtProvider: Handle = async ({ request, response, origin, site }) => {
    const provider = (await readForm(request)).get('provider') ?? '';
    const redirectUri = `${site.origin}${callbackPath}`;
    const begun = await identity.begin(provider, redirectUri, origin.address);
    const secret = cookies.keepSignInSecret(begun.browserSecret, site.isSecure, signInSeconds);
    addCookies(response, secret);
    respondPage(response, leavingPage(provider, begun.authorizationUrl));
  };

  const callback: Handle = async (visit) => {
    const { request, response, origin, site } = visit;
    const { search } = new URL(request.url ?? '', site.origin);
    const secret = cookies.readSignInSecret(headerOf(request, 'cookie'), site.isSecure);
    keep(visit, await identity.complete(search.slice(1), secret ?? 'none', origin.address));
    // Not a redirect: the browser would treat it as coming from the provider, and would not send the session's cookie.
    respondPage(response, signedInPage);
  };

  const signOut: Handle = async ({ request, response, origin, site }) => {
    const tokens = cookies.read(headerOf(request, 'cookie'), site.isSecure);
    if (tokens) await identity.revoke(tokens.refreshToken, origin.address);
    response.setHeader('set-cookie', cookies.forget('session', site.isSecure));
    redirect(response, '/sign-in');
  };

  const css: Handle = async ({ response }) =>
    respond(response, 200, styles, { 'content-type': 'text/css; charset=utf-8' });

  return new Map([
    ['/pages.css', asRoute(deps, { get: css })],
    ['/sign-in', asRoute(deps, { get: signIn, post: signInWithCode })],
    ['/sign-in/provider', asRoute(deps, { post: beginAtProvider })],
    [callbackPath, asRoute(deps, { get: callback })],
    ['/sign-out', asRoute(deps, { post: signOut })],
  ]);
}

/**
 * Makes a route that dispatches on the HTTP method, refuses forms from other sites, and shows errors as pages.
 */
function asRoute(
  { ownOrigin }: SignInPagesDeps,
  { get, post }: { readonly get?: Handle; readonly post?: Handle },
): Route {
  return async (request, response, origin) => {
    try {
      const site = ownOrigin(request);
      if (origin.refusal) throw origin.refusal;
      if (!site) throw notConfigured();
      if (request.method === 'POST' && !isFromOwnPage(request, site)) throw foreignForm();
      // HEAD is refused too, because link previews send it, and fetching the callback consumes the sign-in.
      const handle = new Map([
        ['GET', get],
        ['POST', post],
      ]).get(request.method ?? '');
      if (!handle)
        throw new AppError('UNIMPLEMENTED', 'This page does not support this request method');
      await handle({ request, response, origin, site });
    } catch (error) {
      const failure = toAppError(error);
      // The window still shows the page of the user who was signed in before; it now loads the current user's page.
      if (isAnotherUserError(failure)) redirect(response, '/');
      else respondPage(response, errorPage(failure));
    }
  };
}

function leavingPage(provider: string, url: string): Page {
  return {
    title: 'Sign in',
    continueAt: url,
    body: html`<p>Continue at <a href="${url}">${provider}</a>.</p>`,
  };
}

const signedInPage: Page = {
  title: 'Signed in',
  continueAt: '/',
  body: html`<p>You are signed in. <a href="/">Continue</a>.</p>`,
};

const statusOf: Readonly<Partial<Record<AppError['code'], number>>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  UNIMPLEMENTED: 405,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

function errorPage({ code, message }: AppError): Page {
  return {
    title: 'Error',
    status: statusOf[code] ?? 400,
    body: html`<h1>That did not work</h1>
      <p>${message}.</p>
      <p><a href="/sign-in">Sign in</a></p>`,
  };
}

function notConfigured(): AppError {
  const message =
    'Sign-in is not configured: the operator must set DAYCARE_GATEWAY_URL to the address of this gateway';
  return new AppError('FAILED_PRECONDITION', message);
}

function foreignForm(): AppError {
  return new AppError('PERMISSION_DENIED', 'This form was sent from another site');
}
