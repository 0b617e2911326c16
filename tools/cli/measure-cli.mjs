/**
 * How long the built command takes, as the median of several starts: `node tools/cli/measure-cli.mjs [runs]`, after
 * `npm run build`. Commands that call a service are measured against a port that refuses connections, so what is left
 * is the command without its call.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const program = resolve(import.meta.dirname, '../../dist/cli/main.js');
const [runs = '15'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'daycare-measure-'));
const config = join(folder, 'config.yaml');
const closed = '127.0.0.1:1';
const claims = Buffer.from(JSON.stringify({ sub: 'abcdefghijklmnopqrstuvwx' })).toString(
  'base64url',
);
const services = ['identity', 'social-graph', 'agent-runtime', 'topology'];
writeFileSync(
  config,
  JSON.stringify({
    current: 'x',
    contexts: {
      x: {
        addresses: Object.fromEntries(services.map((name) => [name, closed])),
        tokens: { access: `e30.${claims}.x` },
      },
    },
  }),
);

const commands = [
  ['--help'],
  ['friend', '--help'],
  ['version'],
  ['exit-codes'],
  ['context', 'list'],
  ['completion', 'bash'],
  ['user', 'get'],
  ['agent', 'list'],
  ['friend', 'list'],
  ['cron', 'list', '-o', 'yaml'],
  ['channel', 'list'],
  ['topology', '--tree'],
  ['doctor', '--help'],
  ['up', '--help'],
];

try {
  for (const argv of [['-e', '0'], ...commands.map((words) => [program, ...words])]) {
    const times = Array.from({ length: Number(runs) }, () => {
      const startMs = performance.now();
      spawnSync(process.execPath, argv, {
        env: { PATH: process.env.PATH, DAYCARE_CONFIG: config },
      });
      return performance.now() - startMs;
    }).sort((a, b) => a - b);
    const name = argv[0] === '-e' ? 'node itself' : `daycare ${argv.slice(1).join(' ')}`;
    const median = times[Math.floor(times.length / 2)];
    console.log(
      `${name.padEnd(28)} ${median.toFixed(0).padStart(5)} ms (least ${times[0].toFixed(0)})`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
