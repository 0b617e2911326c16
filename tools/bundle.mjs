/** Bundles one app into dist/<app>/main.js: one file, so that a service starts in a third of a second. */
import { build } from 'esbuild';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const [app] = process.argv.slice(2);
if (!app) throw new Error('usage: node tools/bundle.mjs <app>');
const root = resolve(import.meta.dirname, '..');
const entry = existsSync(resolve(root, 'apps', app))
  ? resolve(root, 'apps', app)
  : resolve(root, app);

await build({
  entryPoints: [resolve(entry, 'src/main.ts')],
  outfile: resolve(root, 'dist', app, 'main.js'),
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
