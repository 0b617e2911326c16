import { html, type Page } from './html';

/**
 * The sign-in page, with the code from the link that `npm start` or `daycare console` has printed, if any.
 */
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
