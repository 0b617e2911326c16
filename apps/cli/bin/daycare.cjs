#!/usr/bin/env node
/** `daycare` and `npx daycare` in the workspace: runs the bundle that `npm start` and `npm run build` make. */
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');

const bundle = resolve(__dirname, '../../../dist/cli/main.js');
if (existsSync(bundle)) {
  require(bundle);
} else {
  process.stderr.write(
    'Daycare is not built yet.\nBuild it with "npm run build", or run "npm start".\n',
  );
  process.exitCode = 1;
}
