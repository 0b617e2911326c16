/**
 * Runs a command and prints the CPU time of all its processes: by kind, and by the spec file that started them.
 * Linux only. Usage: node tools/test-cost.mjs npx jest --config jest.config.cjs --rootDir e2e
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const intervalMs = 250;
/** CPU time in /proc is counted in hundredths of a second. */
const ticksPerSecond = 100;
const [command, ...args] = process.argv.slice(2);
if (!command) throw new Error('usage: node tools/test-cost.mjs <command> [arguments]');

/** Each Jest worker writes the name of the spec file it runs into a file in this folder, named after its process id. */
const folder = mkdtempSync(join(tmpdir(), 'daycare-test-cost-'));
const env = { ...process.env, TEST_COST_FOLDER: folder };
const root = spawn(command, args, { stdio: 'inherit', env });
/** The processes of the command that have been seen so far, by process id and start time. */
const seen = new Map();
/**
 * Processes that the command did not start, by id, each with the number of further samples that skip it.
 */
const skippedSamples = new Map();
/** CPU ticks by spec file and kind. */
const costs = new Map();

const sampling = setInterval(sample, intervalMs);
const code = await new Promise((resolve) => root.once('exit', resolve));
clearInterval(sampling);
rmSync(folder, { recursive: true, force: true });
print();
process.exitCode = code ?? 1;

function sample() {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !isSkipped(name));
  const current = new Map(names.flatMap((name) => readProcess(name)));
  const specs = readSpecs();
  for (const running of current.values()) {
    const previous = seen.get(running.key);
    const ancestry = previous ? [running] : ancestryOf(running, current);
    if (!previous && !ancestry.some(({ pid }) => pid === root.pid)) {
      skippedSamples.set(String(running.pid), 40);
      continue;
    }
    const worker = ancestry.find(({ pid }) => specs.has(String(pid)));
    const spec = worker ? specs.get(String(worker.pid)) : (previous?.spec ?? 'shared');
    // A new process is a copy of its parent until it runs its program.
    const kind = previous && previous.age > 3 ? previous.kind : kindOf(running.pid);
    add(spec, kind, running.ticks - (previous?.ticks ?? 0));
    seen.set(running.key, { spec, kind, ticks: running.ticks, age: (previous?.age ?? 0) + 1 });
  }
}

function isSkipped(name) {
  const samples = skippedSamples.get(name) ?? 0;
  if (samples > 0) skippedSamples.set(name, samples - 1);
  return samples > 0;
}

/** Returns a list with one entry, the process with this id; empty if the process has ended. */
function readProcess(name) {
  try {
    const fields = statFieldsOf(name);
    const ticks = Number(fields[11]) + Number(fields[12]);
    const pid = Number(name);
    return [[pid, { pid, key: `${name}/${fields[19]}`, parent: Number(fields[1]), ticks }]];
  } catch {
    return [];
  }
}

/** Returns the fields of /proc/<pid>/stat after the program's name, which may contain any characters. */
function statFieldsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns a process, its parent, the parent's parent, and so on. */
function ancestryOf(start, current) {
  const ancestry = [];
  for (let each = start; each; each = current.get(each.parent)) ancestry.push(each);
  return ancestry;
}

/** Returns the spec files that are running, by the process id of the Jest worker. */
function readSpecs() {
  return new Map(readdirSync(folder).map((pid) => [pid, readFileSync(join(folder, pid), 'utf8')]));
}

function kindOf(pid) {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const app = /dist\/([\w-]+)\/(?:main|bundle)\.js/.exec(words.join(' '))?.[1];
    if (app) return app;
    const script = words.slice(1).find((word) => /\.[cm]?js$|\/\.bin\//.test(word));
    return basename(script ?? words[0] ?? 'unknown').split(' ')[0];
  } catch {
    return 'unknown';
  }
}

function add(spec, kind, ticks) {
  const kinds = costs.get(spec) ?? new Map();
  costs.set(spec, kinds.set(kind, (kinds.get(kind) ?? 0) + ticks));
}

function print() {
  const kinds = [...new Set([...seen.values()].map(({ kind }) => kind))];
  const ofKind = kinds.map((kind) => {
    const count = [...seen.values()].filter((each) => each.kind === kind).length;
    const ticks = sum([...costs.values()].map((spec) => spec.get(kind) ?? 0));
    return { kind, processes: count, cpuSeconds: seconds(ticks) };
  });
  const ofSpec = [...costs].map(([spec, ticksByKind]) => {
    const largest = [...ticksByKind].sort((a, b) => b[1] - a[1]).slice(0, 5);
    const parts = largest.map(([kind, ticks]) => `${kind} ${seconds(ticks)}`).join(', ');
    return { spec, cpuSeconds: seconds(sum([...ticksByKind.values()])), parts };
  });
  const byCost = (a, b) => b.cpuSeconds - a.cpuSeconds;
  for (const { kind, processes, cpuSeconds } of ofKind.sort(byCost))
    console.log(`${String(cpuSeconds).padStart(8)} s  ${kind} (${processes} processes)`);
  console.log('');
  for (const { spec, cpuSeconds, parts } of ofSpec.sort(byCost))
    console.log(`${String(cpuSeconds).padStart(8)} s  ${spec}: ${parts}`);
  // This total includes what processes used between their last sample and their end; the tables do not.
  const [user, system] = statFieldsOf('self').slice(13, 15).map(Number);
  console.log(`${seconds(user + system)} s in all`);
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

function seconds(ticks) {
  return Math.round((ticks / ticksPerSecond) * 10) / 10;
}
