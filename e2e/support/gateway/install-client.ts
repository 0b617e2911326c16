import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorkspaceRoot } from '@daycare/local-stack';

const root = findWorkspaceRoot(__dirname);

/** Packs the built client and installs it with its dependencies, as the author of a program would. */
export function installClient(folder: string): void {
  const npm = (...args: string[]): string =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
  const packed = npm('pack', join(root, 'dist/client'), '--ignore-scripts', '--json', '--silent');
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  writeFileSync(join(folder, 'package.json'), '{ "name": "program", "private": true }');
  // What the workspace has installed is in npm's cache, so most installations need no network.
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  npm('install', `./${filename}`, `@types/node@${devDependencies['@types/node'] ?? ''}`, ...flags);
}

/** Compiles a TypeScript program in the folder; returns what the compiler reports. */
export function compile(folder: string, file: string): string {
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  return execFileSync(process.execPath, [tsc, ...strict, file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
  });
}
