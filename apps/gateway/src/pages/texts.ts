import { decodeJwt } from 'jose';
import type { User } from '@daycare/contracts/identity';
import { html, type Page } from './html';

/** The user that a token names. The services check whether the token is valid. */
export function signedInUserId(authorization: string): string | undefined {
  if (!authorization.startsWith('Bearer ')) return undefined;
  try {
    return decodeJwt(authorization.slice('Bearer '.length)).sub;
  } catch {
    return undefined;
  }
}

export function homePage(user: User | undefined): Page {
  const { name = '', nametag = '' } = user ?? {};
  return {
    title: 'Home',
    body: html`<h1>Daycare</h1>
      <p>Signed in as <strong>${name}</strong> (${nametag}).</p>
      <p><a href="/openapi.json">API reference</a></p>
      <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  };
}

/** `code`: from the link that `npm start` or `daycare console` has printed. */
export function signInPage(providers: readonly string[], code: string): Page {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in to Daycare</h1>
      <form method="post" action="/sign-in">
        <label for="code"
          >Code printed by <code>npm start</code> or <code>daycare console</code></label
        >
        <input id="code" name="code" value="${code}" autocomplete="off" required />
        <button>Sign in</button>
      </form>
      ${providers.map(
        (provider) =>
          html`<form method="post" action="/sign-in/provider">
            <input type="hidden" name="provider" value="${provider}" />
            <button>Sign in with ${provider}</button>
          </form>`,
      )}`,
  };
}
