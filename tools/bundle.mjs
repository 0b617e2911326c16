/** Bundles one app into dist/<app>/main.js: one file, so that a service starts in a third of a second. */
import { build } from 'esbuild';
import { existsSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';

const [app] = process.argv.slice(2);
if (!app) throw new Error('usage: node tools/bundle.mjs <app>');
const root = resolve(import.meta.dirname, '..');
const entry = existsSync(resolve(root, 'apps', app))
  ? resolve(root, 'apps', app)
  : resolve(root, app);

const outfile = resolve(root, 'dist', app, 'main.js');
const half = resolve(root, 'dist', app, '.half', 'main.js');
await build({
  entryPoints: [resolve(entry, 'src/main.ts')],
  // Nobody must start a bundle that is half written.
  outfile: half,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  loader: { '.md': 'text' },
  sourcemap: 'linked',
  legalComments: 'none',
  logLevel: 'warning',
  // Optional native add-ons of the MongoDB driver; absent unless somebody installs them.
  external: [
    '@mongodb-js/zstd',
    'aws4',
    'gcp-metadata',
    'kerberos',
    'mongodb-client-encryption',
    'snappy',
    'socks',
    '@aws-sdk/credential-providers',
  ],
});
renameSync(`${half}.map`, `${outfile}.map`);
renameSync(half, outfile);
