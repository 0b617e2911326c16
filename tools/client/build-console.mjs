/**
 * Builds the console into dist/console: a page, one script, one stylesheet and the icon. The names of all files except
 * the page contain a hash of the content, so that browsers can cache these files forever. tools/bundle.mjs copies the
 * console into the gateway.
 */
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bufferShim, withoutNode } from './without-node.mjs';

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'apps/console/src');
const target = join(root, 'dist/console');
const staging = `${target}.half`;
/** The limit for the compressed size of all files together. */
const maxBytes = 150 * 1024;

rmSync(staging, { recursive: true, force: true });
mkdirSync(join(staging, 'assets'), { recursive: true });
const { metafile } = await build({
  entryPoints: { app: join(source, 'main.tsx'), styles: join(source, 'styles/index.css') },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  plugins: [withoutNode],
  inject: [bufferShim],
  outdir: join(staging, 'assets'),
  entryNames: '[name]-[hash]',
});
const outputs = Object.keys(metafile.outputs).map((path) => basename(path));
const nameOf = (prefix) => outputs.find((name) => name.startsWith(prefix));
const icon = readFileSync(join(source, 'icon.svg'));
const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
writeFileSync(join(staging, 'assets', iconName), icon);
const page = readFileSync(join(source, 'index.html'), 'utf8')
  .replace('{{script}}', `/assets/${nameOf('app-')}`)
  .replace('{{styles}}', `/assets/${nameOf('styles-')}`)
  .replace('{{icon}}', `/assets/${iconName}`);
writeFileSync(join(staging, 'index.html'), page);
checkSize();
rmSync(target, { recursive: true, force: true });
renameSync(staging, target);

function checkSize() {
  const files = ['index.html', ...[...outputs, iconName].map((name) => `assets/${name}`)];
  const sizes = files.map(
    (name) => gzipSync(readFileSync(join(staging, name)), { level: 9 }).length,
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const text = `${(total / 1024).toFixed(1)} KiB gzipped`;
  console.log(`console: ${text}`);
  if (total > maxBytes) throw new Error(`The console is ${text}; the limit is 150 KiB`);
}
