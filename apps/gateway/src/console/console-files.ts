import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the console as it is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

export interface ConsoleFiles {
  /** What every page of the console begins with. */
  readonly page: ConsoleFile;
  /** Scripts, styles and the icon, by name. Their names change with their content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the console that the build has put beside the bundle; undefined where there is none. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const assets = readdirSync(join(folder, 'assets'));
  return {
    page: readFile(join(folder, 'index.html')),
    assets: new Map(assets.map((name) => [name, readFile(join(folder, 'assets', name))])),
  };
}

function readFile(path: string): ConsoleFile {
  const bytes = readFileSync(path);
  const type = types[extname(path)] ?? 'application/octet-stream';
  return { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) };
}
