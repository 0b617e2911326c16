/**
 * Writes the bill of materials (CycloneDX JSON) of the packages that run in production to dist/sbom.json; with `--all`,
 * it includes the packages for development. Reads only package-lock.json; fetches nothing.
 * Usage: node tools/sbom.mjs [--all]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const scope = process.argv.includes('--all') ? [] : ['--omit=dev'];
const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', ...scope];
const { status, stdout } = spawnSync('npm', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (status !== 0) process.exit(status ?? 1);
const { components } = JSON.parse(stdout);
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist/sbom.json'), stdout);
console.log(`dist/sbom.json: ${components.length} components`);
