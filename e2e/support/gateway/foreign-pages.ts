import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** The outcome of each attempt made by a page from another origin. */
export interface AttackOutcome {
  /** A call made in the same way as from the gateway's own pages. */
  readonly read: string;
  /** A 'simple' request, which the browser sends without a CORS preflight. */
  readonly simple: string;
  readonly upload: string;
  /** The attempt to download a file that exists. */
  readonly download: string;
}

export interface ForeignPages {
  readonly url: string;
  /** Makes all attempts, and puts the gateway's page into a frame. */
  attack(page: Page, gateway: string, fileId: string): Promise<AttackOutcome>;
  submitForm(page: Page, action: string): Promise<void>;
  stop(): void;
}

/** The page's own script; it may do anything that browsers allow. */
const script = `
async function attack(gateway, fileId) {
  const url = gateway + '/daycare.identity.v1.IdentityService/CreateSubuser';
  const body = JSON.stringify({ requestId: 'attack', name: 'Mine' });
  const headers = { 'content-type': 'application/json' };
  const asJson = { method: 'POST', credentials: 'include', headers, body };
  const read = await fetch(url, asJson).then(() => 'answered', () => 'failed');
  const asText = { method: 'POST', credentials: 'include', mode: 'no-cors', body };
  const simple = await fetch(url, asText).then(({ type }) => type, () => 'failed');
  const upload = await fetch(gateway + '/files?name=theirs.txt', asText).then(({ type }) => type, () => 'failed');
  const get = { credentials: 'include', mode: 'no-cors' };
  const download = await fetch(gateway + '/files/' + fileId, get).then(({ type }) => type, () => 'failed');
  const frame = document.createElement('iframe');
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  frame.src = gateway + '/';
  document.body.append(frame);
  await loaded;
  return { read, simple, upload, download };
}
function submitForm(action) {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action });
  document.body.append(form);
  form.submit();
}`;

/** Serves pages from another origin on this machine, without a Content Security Policy. */
export async function startForeignPages(): Promise<ForeignPages> {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<p>Elsewhere</p><script>${script}</script>`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    attack: (page, gateway, fileId) =>
      page.evaluate<AttackOutcome>(`attack(${JSON.stringify(gateway)}, ${JSON.stringify(fileId)})`),
    submitForm: (page, action) => page.evaluate(`submitForm(${JSON.stringify(action)})`),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
