import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { html } from '../pages/html';

/** One of the console's files as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

export interface ConsoleFiles {
  /** Returns the console's page for a user; calls from the page are made as that user, or refused. */
  readonly pageFor: (userId: string) => ConsoleFile;
  /** Scripts, styles and the icon, by name. Their names change with their content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built console from a folder; undefined if the folder does not contain one. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const assets = readdirSync(join(folder, 'assets'));
  return {
    pageFor: makePage(readFileSync(join(folder, 'index.html'), 'utf8')),
    assets: new Map(assets.map((name) => [name, readFile(join(folder, 'assets', name))])),
  };
}

function makePage(template: string): ConsoleFiles['pageFor'] {
  return (userId) => {
    const page = template.replace('{{user}}', () => html`${userId}`.text);
    return fileOf(types['.html'], Buffer.from(page));
  };
}

function readFile(path: string): ConsoleFile {
  return fileOf(types[extname(path)], readFileSync(path));
}

function fileOf(type = 'application/octet-stream', bytes: Uint8Array): ConsoleFile {
  return { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) };
}
