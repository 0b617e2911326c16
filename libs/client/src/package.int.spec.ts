import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = resolve(__dirname, '../../..');
const buildFolder = join(root, 'dist/client');
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
let folder: string;
let tarball: string;

/** Runs a program in a folder that contains nothing but the tarball. */
function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-client-'));
  const packed = run('npm', 'pack', buildFolder, '--ignore-scripts', '--json', '--silent');
  tarball = join(folder, (JSON.parse(packed) as [{ filename: string }])[0].filename);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package @daycare/client', () => {
  it('passes publint', () => {
    expect(run(bin('publint'), tarball, '--strict')).toContain('All good!');
  }, 60_000);

  it('has types that resolve in every kind of project', () => {
    expect(run(bin('attw'), tarball)).toContain('No problems found');
  }, 60_000);

  it('does not include grpc-js in the entry point for browsers', () => {
    const text = readFileSync(join(buildFolder, 'browser.mjs'), 'utf8');
    expect(text).not.toMatch(/grpc-js|node:/);
  });
});
