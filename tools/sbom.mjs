/**
 * Writes the bill of materials of what runs in production (CycloneDX JSON) to dist/sbom.json, and with `--all` that of
 * the tools as well. Everything comes from package-lock.json; nothing is fetched.
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
