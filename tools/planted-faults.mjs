/**
 * Breaks guarantees of the message path on purpose, one at a time, and shows which tests fail. Restores each file
 * afterwards. Fails if no test notices a fault.
 * Usage: node tools/planted-faults.mjs [text in the name of a fault]
 *        node tools/planted-faults.mjs --check   only checks that every fault can still be planted
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

const faults = [
  {
    name: 'an insert whose outcome is unknown is treated as stored',
    file: 'libs/mongo/src/groups/insert-all.ts',
    find: 'if (isUnknown) throw unknownOutcome(error);',
    replace: 'if (isUnknown) return [];',
    project: 'libs/messaging',
    specs: ['outbox/broken-connection'],
  },
  {
    name: 'a message is handled before its predecessor is stored',
    file: 'libs/messaging/src/consumer/choose-batch.ts',
    find: 'isHandled(id) || visitPredecessor(id)',
    replace: 'isHandled(id) || visitPredecessor(id) || true',
    project: 'libs/messaging',
    specs: ['consumer/parking'],
  },
  {
    name: 'two batches of a group run at the same time',
    file: 'libs/mongo/src/groups/group-calls.ts',
    find: 'if (this.#isRunning) return;',
    replace: '',
    project: 'libs/mongo',
    specs: ['groups/group-calls'],
  },
  {
    name: 'a message is acknowledged before it is stored',
    file: 'libs/messaging/src/consumer/batch-processor.ts',
    find: 'let dropped: ReadonlyMap<string, string> | undefined;',
    replace:
      'let dropped: ReadonlyMap<string, string> | undefined; for (const { held } of storable) this.#finish(held, undefined); this.#deps.receipts.flush();',
    project: 'libs/messaging',
    specs: ['consumer/batches', 'consumer/dead-letters'],
  },
  {
    name: 'a remembered message of an ended tie is named as a predecessor',
    file: 'libs/messaging/src/outbox/rows/known-tails.ts',
    find: 'return recipientService === undefined && tie?.version === tieVersion;',
    replace: 'return recipientService === undefined && (tie?.version === tieVersion || true);',
    project: 'libs/messaging',
    specs: ['rows/known-tails'],
  },
  {
    name: 'a call that must not be retried is retried when its connection is lost',
    file: 'libs/rpc/src/client/direct/direct-call.ts',
    find: 'const isRefused = rstCode === constants.NGHTTP2_REFUSED_STREAM;',
    replace: 'const isRefused = true;',
    project: 'libs/rpc',
    specs: ['direct-calls'],
  },
  {
    name: 'a batch contains two entries of one agent',
    file: 'apps/agent-runtime/src/agents/store/group-entries.ts',
    find: 'for (const each of batch) if (!firsts.has(each.agentId)) firsts.set(each.agentId, each);',
    replace: 'for (const each of batch) firsts.set(`${each.agentId} ${firsts.size}`, each);',
    project: 'apps/agent-runtime',
    specs: ['turns/sessions', 'agents/store'],
  },
];

const [wanted = ''] = process.argv.slice(2);
if (wanted === '--check') {
  for (const fault of faults) readOriginal(fault);
  process.exit();
}
const chosen = faults.filter(({ name }) => name.includes(wanted));
if (chosen.length === 0) throw new Error(`no fault has "${wanted}" in its name`);
for (const fault of chosen) {
  const failedTitles = testWithFault(fault);
  const noticed = failedTitles.map((title) => `\n  noticed by: ${title}`).join('');
  process.stdout.write(`${fault.name}${noticed || '\n  NOT NOTICED'}\n`);
  if (failedTitles.length === 0) process.exitCode = 1;
}

/** Runs the tests with the fault in place; returns the titles of those that fail. */
function testWithFault(fault) {
  const { file, find, replace, project, specs } = fault;
  const path = join(root, file);
  const original = readOriginal(fault);
  const restore = () => writeFileSync(path, original);
  const stop = () => process.exit(130);
  process.once('exit', restore);
  process.once('SIGINT', stop);
  try {
    writeFileSync(
      path,
      original.replace(find, () => replace),
    );
    return failedTests(project, specs);
  } finally {
    restore();
    process.off('exit', restore);
    process.off('SIGINT', stop);
  }
}

/** Returns the source that the fault changes; throws unless it has the text to replace exactly once. */
function readOriginal({ name, file, find }) {
  const original = readFileSync(join(root, file), 'utf8');
  const count = original.split(find).length - 1;
  if (count === 1) return original;
  throw new Error(`cannot plant "${name}": ${file} has this text ${count} times: ${find}`);
}

function failedTests(project, specs) {
  const folder = mkdtempSync(join(tmpdir(), 'daycare-fault-'));
  const outputFile = join(folder, 'results.json');
  try {
    const jest = join(root, 'node_modules/.bin/jest');
    const options = ['--config', 'jest.config.cjs', '--rootDir', project, '--silent'];
    const args = [...options, '--json', '--outputFile', outputFile, ...specs];
    spawnSync(jest, args, { cwd: root, stdio: 'ignore' });
    const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8'));
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${name.slice(root.length + 1)}: ${fullName}`),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
