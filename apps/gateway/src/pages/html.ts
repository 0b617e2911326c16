import type { GatewayResponse } from '../http/gateway-request';
import { respond } from '../http/gateway-request';
import { pageHeaders } from './page-headers';

/** Markup that is known to be safe. */
class Markup {
  constructor(readonly text: string) {}
}

/** Returns markup that contains the values, which are escaped unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const shown = values.map(render);
  return new Markup(parts.map((part, index) => `${part}${shown[index] ?? ''}`).join(''));
}

type Value = string | Markup | readonly Markup[];

function render(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value !== 'string') return value.map(({ text }) => text).join('');
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** The address that the browser opens automatically, as if the person had followed a link on this page. */
  readonly continueAt?: string;
  readonly status?: number;
}

export function respondPage(response: GatewayResponse, page: Page): void {
  const { title, body, continueAt, status = 200 } = page;
  const refresh =
    continueAt === undefined
      ? ''
      : html`<meta http-equiv="refresh" content="0; url=${continueAt}" />`;
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        ${refresh}
        <title>${title} – Daycare</title>
        <link rel="stylesheet" href="/pages.css" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`;
  respond(response, status, document.text, pageHeaders);
}

/** Sends the browser to another page of the gateway, e.g. after a form has been submitted. */
export function redirect(response: GatewayResponse, location: string): void {
  respond(response, 303, '', { location });
}

/** The style sheet of the pages. Its colours and spacing match the console's. */
export const styles = `:root {
  color-scheme: light dark;
  font: 16px/1.5 Inter, system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif;
  background: light-dark(#fbfaf7, #131614);
  color: light-dark(#20231f, #e7eae6);
}
body { margin: 0 }
main {
  box-sizing: border-box;
  max-width: 26rem;
  margin: 14vh auto 0;
  padding: 2rem;
  border: 1px solid light-dark(#e4e1d9, #2e3431);
  border-radius: 1rem;
  background: light-dark(#ffffff, #1a1e1c);
}
h1 { margin: 0 0 1.25rem; font-size: 1.625rem; line-height: 1.2; letter-spacing: -0.015em }
form { display: grid; gap: 0.5rem; margin-top: 1rem }
label { font-weight: 600 }
a { color: light-dark(#23604d, #83cdb3) }
button, input { min-height: 2.5rem; padding: 0 0.75rem; border-radius: 0.375rem; font: inherit }
input { width: 100%; box-sizing: border-box; border: 1px solid light-dark(#8b8a84, #6f7772); background: transparent; color: inherit }
button { margin-top: 0.5rem; border: 0; background: light-dark(#23604d, #83cdb3); color: light-dark(#ffffff, #10201a); font-weight: 600; cursor: pointer }
:focus-visible { outline: 2px solid light-dark(#23604d, #83cdb3); outline-offset: 2px }
@media (max-width: 30rem) { main { margin: 1rem; padding: 1.5rem } }
`;
