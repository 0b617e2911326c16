import { createHash } from 'node:crypto';
import type { DescField, DescMethod, DescService } from '@bufbuild/protobuf';
import { accessTables } from '@daycare/contracts/access';
import { comments } from '@daycare/contracts/comments';
import { publicMethods, serviceOf } from '../rpc/public-services';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code{font-size:.9em}section{margin-top:2rem}dt{margin-top:.5rem}dd{margin-left:1.5rem}`;

/** Allows only this page's own style, by its hash: no script, no frame, no other origin. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Renders the API reference as a page without scripts. */
export function renderPage(): string {
  const services = Object.keys(accessTables).map(serviceOf);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Daycare API</title><style>${style}</style></head><body>
<h1>Daycare API</h1>
<p>Every RPC is <code>POST /&lt;package.Service&gt;/&lt;Method&gt;</code> with JSON. <a href="/openapi.json">openapi.json</a> describes the API for programs.</p>
<nav><ul>${services.map(renderLinks).join('')}</ul></nav>
${services.map(renderService).join('\n')}
</body></html>
`;
}

function renderLinks({ name }: DescService): string {
  return `<li><a href="#${name}">${name}</a></li>`;
}

function renderService(service: DescService): string {
  const about = escapeHtml(comments[service.typeName] ?? '');
  const methods = publicMethods(service).map(renderMethod).join('\n');
  return `<h2 id="${service.name}">${service.name}</h2><p>${about}</p>\n${methods}`;
}

function renderMethod({ parent, name, input, output }: DescMethod): string {
  const about = escapeHtml(comments[`${parent.typeName}.${name}`] ?? '');
  return `<section id="${parent.name}.${name}"><h3>${name}</h3><p><code>/${parent.typeName}/${name}</code></p><p>${about}</p>
${renderFields('Request', input.fields)}${renderFields('Response', output.fields)}</section>`;
}

function renderFields(title: string, fields: readonly DescField[]): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ parent, name, jsonName }) =>
      `<dt><code>${jsonName}</code></dt><dd>${escapeHtml(comments[`${parent.typeName}.${name}`] ?? '')}</dd>`,
  );
  return `<h4>${title}</h4><dl>${rows.join('')}</dl>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
