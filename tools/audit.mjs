/**
 * Asks the npm registry for known vulnerabilities in the packages that run in production, and checks licences. Fails
 * if a vulnerability is of high or critical severity, or a licence is not allowed. Not part of `npm test`, because the
 * result changes even if the code does not.
 * Usage: node tools/audit.mjs
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const run = (command, args) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

const statuses = [
  run(process.execPath, [join(root, 'tools/check-licences.mjs')]),
  run('npm', ['audit', '--audit', '--omit=dev', '--audit-level=high', '--package-lock-only']),
];
process.exitCode = Math.max(...statuses);
