/**
 * Measures how long the built CLI takes: `node tools/cli/measure-cli.mjs [runs]`, after `npm run build`. A
 * server in this process answers every call immediately with an empty message, so only the command itself is
 * measured. The shortest time is what a start costs; the median depends on what else is running. The CPU time includes
 * all threads of the command.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { startEmptyServer } from './empty-server.mjs';

const program = resolve(import.meta.dirname, '../../dist/cli/main.js');
const [runs = '15'] = process.argv.slice(2);
/** The unit of the CPU times in /proc/<pid>/stat. */
const tickMs = 10;

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

const { config, stop } = await startEmptyServer();

try {
  console.log(`load ${loadavg()[0].toFixed(1)}, ${runs} runs each`);
  for (const argv of [['-e', '0'], ...commands.map((words) => [program, ...words])]) {
    const name = argv[0] === '-e' ? 'node itself' : `daycare ${argv.slice(1).join(' ')}`;
    const { shortestMs, medianMs, cpuMs } = await measure(argv);
    const times = [shortestMs, medianMs, cpuMs].map((ms) => ms.toFixed(0).padStart(5));
    const [shortest, median, cpu] = times;
    console.log(`${name.padEnd(28)} shortest ${shortest} ms, median ${median} ms, CPU ${cpu} ms`);
  }
} finally {
  stop();
}

async function measure(argv) {
  const times = [];
  const beforeMs = cpuOfChildrenMs();
  for (let run = 0; run < Number(runs); run++) times.push(await time(argv));
  times.sort((one, other) => one - other);
  return {
    shortestMs: times[0],
    medianMs: times[Math.floor(times.length / 2)],
    cpuMs: (cpuOfChildrenMs() - beforeMs) / times.length,
  };
}

async function time(argv) {
  const startMs = performance.now();
  const env = { PATH: process.env.PATH, DAYCARE_CONFIG: config };
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  // 3 is `not found`, which some commands report because the response is empty.
  if (code !== 0 && code !== 3) throw new Error(`${argv.join(' ')} exited with ${code}`);
  return performance.now() - startMs;
}

/** The CPU time of all children that have exited. */
function cpuOfChildrenMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}
