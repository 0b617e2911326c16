/**
 * Turns dist/cli into a package, so that `npm pack ./dist/cli` makes an installable `daycare`. The bundle contains all
 * code, so the package has no dependencies. tools/bundle.mjs imports this file once the bundle is built.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const target = join(root, 'dist/cli');
const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'));
const { engines, license, description } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

const readme = `# daycare

The command line of Daycare: ${description.toLowerCase()}.

    daycare login --server daycare.example.org:443 --tls --token -
    daycare chat
    source <(daycare completion bash)
`;

const bin = `#!/usr/bin/env node
require('./main.js');
`;

writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify(
    {
      name: '@daycare/cli',
      version,
      description,
      license,
      engines,
      bin: { daycare: 'daycare.cjs' },
      files: ['daycare.cjs', 'main.js', 'bundle.js', 'bundle.cache'],
    },
    null,
    2,
  )}\n`,
);
writeFileSync(join(target, 'README.md'), readme);
writeFileSync(join(target, 'daycare.cjs'), bin);
chmodSync(join(target, 'daycare.cjs'), 0o755);
