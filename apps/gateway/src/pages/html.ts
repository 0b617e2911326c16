import type { GatewayResponse } from '../http/gateway-request';
import { respond } from '../http/gateway-request';

/** Allows nothing inline, nothing from other origins and no frames; scripts cannot insert markup. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  // Without any referrer, browsers would not say which page has sent a form.
  'referrer-policy': 'same-origin',
} as const;

/** Markup that is known to be safe. */
export class Markup {
  constructor(readonly text: string) {}
}

/** Markup with values in it, which are escaped unless they are markup themselves. */
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
  /** The address that the browser opens by itself, as if the person followed a link on this page. */
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

/** Sends the browser to another page of the gateway after a form. */
export function redirect(response: GatewayResponse, location: string): void {
  respond(response, 303, '', { location });
}

export const styles = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 28rem; margin: 15vh auto 0; padding: 0 1rem }
button, input { font: inherit; padding: 0.4rem 0.8rem; margin: 0.2rem 0 }
input { width: 100%; box-sizing: border-box }
`;
