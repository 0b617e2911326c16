import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

export interface BrowserResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Calls an RPC from a script in the page, over Connect with JSON. */
export function callFromPage(page: Page, path: string, request: object): Promise<BrowserResponse> {
  return page.evaluate(
    async ([url, json]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: json });
      return { status: response.status, body: await response.json() };
    },
    [`/${path}`, JSON.stringify(request)] as const,
  );
}

/** Reads the first message of a stream with a script in the page. */
export function firstOfStream(page: Page, path: string, request: object): Promise<object> {
  return page.evaluate(
    async ([url, json]) => {
      const bytes = new TextEncoder().encode(json);
      const body = new Uint8Array(5 + bytes.length);
      new DataView(body.buffer).setUint32(1, bytes.length);
      body.set(bytes, 5);
      const headers = { 'content-type': 'application/connect+json' };
      const response = await fetch(url, { method: 'POST', headers, body });
      const reader = response.body!.getReader();
      let read = new Uint8Array();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended before its first message');
        read = new Uint8Array([...read, ...value]);
        const size = read.length < 5 ? Infinity : new DataView(read.buffer).getUint32(1);
        if (read.length < 5 + size) continue;
        await reader.cancel();
        return JSON.parse(new TextDecoder().decode(read.slice(5, 5 + size))) as object;
      }
    },
    [`/${path}`, JSON.stringify(request)] as const,
  );
}

/** Uploads a file from a script in the page. */
export function uploadFromPage(
  page: Page,
  file: { readonly name: string; readonly type: string; readonly text: string },
): Promise<BrowserResponse> {
  return page.evaluate(async ({ name, type, text }) => {
    const url = `/files?name=${encodeURIComponent(name)}`;
    const headers = { 'content-type': type };
    const response = await fetch(url, { method: 'POST', headers, body: text });
    return { status: response.status, body: await response.json() };
  }, file);
}

/** Downloads a file as a link in the page would; returns the suggested name and the content. */
export async function downloadFromPage(page: Page, path: string): Promise<[string, string]> {
  const downloading = page.waitForEvent('download');
  // The console handles a click on a link itself unless the link has the attribute `download`.
  const link = JSON.stringify({ href: path, download: '' });
  await page.evaluate(`Object.assign(document.createElement('a'), ${link}).click()`);
  const download = await downloading;
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
}
