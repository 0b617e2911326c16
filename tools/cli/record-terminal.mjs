/**
 * Starts a stack and records docs/terminal.svg for the README; run it after `npm run build`. If a folder is given,
 * pictures of the chat, of tables and of the tree are stored there, each with 80 and 140 columns, light and dark.
 * Usage: node tools/cli/record-terminal.mjs [folder]
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { emulate, textOf, toSvg } from './terminal-svg.mjs';

const root = resolve(import.meta.dirname, '../..');
const program = join(root, 'dist/cli/main.js');
const [shotsFolder] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'daycare-recording-'));
const dataDir = join(folder, 'data');
const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: folder,
  SHELL: '/bin/sh',
  TERM: 'xterm',
  DAYCARE_CONFIG: join(folder, 'config.yaml'),
};
const maxWaitMs = 60_000;

const run = (...argv) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`daycare ${argv.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
};
const json = (...argv) => JSON.parse(run(...argv, '-o', 'json'));

/**
 * Runs a command in a terminal with this many columns, and types the text of each entry of `keys` once the entry's
 * pattern is on the screen. Returns the output.
 */
async function play(argv, columns, keys = []) {
  const line = [process.execPath, program, ...argv].map((word) => `'${word}'`).join(' ');
  const child = spawn(
    'script',
    ['-qec', `stty cols ${columns} rows 40; exec ${line}`, '/dev/null'],
    {
      cwd: folder,
      env,
    },
  );
  let output = '';
  child.stdout.on('data', (bytes) => (output += bytes.toString('utf8')));
  let hasExited = false;
  const exited = new Promise((done) => child.once('close', done)).then(() => (hasExited = true));
  for (const [pattern, typed] of keys) {
    const deadline = Date.now() + maxWaitMs;
    const isOnScreen = () => pattern.test(emulate(output, columns).map(textOf).join('\n'));
    while (!isOnScreen() && !hasExited && Date.now() < deadline) await delay(50);
    child.stdin.write(typed);
  }
  await exited;
  return output;
}

function prompt(argv) {
  const words = argv.map((word) => (/^[\w:.@-]+$/.test(word) ? word : `"${word}"`));
  return `\u001b[1m$ daycare ${words.join(' ')}\u001b[22m\r\n`;
}

async function record(scenes, columns) {
  let output = '';
  for (const [argv, keys] of scenes)
    output += `${prompt(argv)}${await play(argv, columns, keys)}\r\n`;
  return emulate(output, columns);
}

const chatKeys = (first = /> $/) => [
  [first, 'Good **morning**! What can `you` do?\r'],
  [/You said: Good[^]*\n> $/, '/model\r'],
  [/\/model\nModel: [^]*\n> $/, '/quit\r'],
];

try {
  run('up', '--detach', '--data-dir', dataDir);
  run('login', '--data-dir', dataDir, '--name', 'Bob', '--context', 'bob');
  run('agent', 'send', 'hello', '--wait', '--context', 'bob');
  run('login', '--data-dir', dataDir, '--name', 'Ada', '--context', 'ada');
  run('agent', 'send', 'hello', '--wait');
  const bob = json('user', 'get', '--context', 'bob').nametag;
  const ada = json('user', 'get', '--context', 'ada').nametag;
  run('friend', 'add', bob);
  run('friend', 'add', ada, '--context', 'bob');
  run('friend', 'nickname', bob, 'Bobby');
  run(
    'subuser',
    'create',
    'Cook',
    '--prompt',
    'You know recipes.',
    '--description',
    'Knows recipes',
  );
  run('friend', 'share', 'Bobby', 'Cook');
  run(
    'cron',
    'add',
    'tea',
    '0 16 * * *',
    'Remind me to make tea, and which kind I liked best last week',
  );
  run('cron', 'run', 'tea');
  run('agent', 'send', 'hi', '--channel', 'work', '--wait');
  run('channel', 'create', 'ops', '--agent', 'work');
  run('friend', 'send', ada, 'Dinner at eight?', '--context', 'bob');
  const story = [
    [['friend', 'list']],
    [['friend', 'send', 'Bobby', 'Tea at four?']],
    [['cron', 'list']],
    [['chat'], chatKeys(/Dinner at eight[^]*\n> $/)],
  ];
  const columns = 90;
  const rows = await record(story, columns);
  const title = 'two friends, a cron and a chat';
  writeFileSync(join(root, 'docs/terminal.svg'), toSvg(rows, { columns, title, lineMs: 150 }));
  if (shotsFolder) await takeShots();
} finally {
  spawnSync(process.execPath, [program, 'stop', '--data-dir', dataDir], { env });
  rmSync(folder, { recursive: true, force: true });
}

async function takeShots() {
  mkdirSync(shotsFolder, { recursive: true });
  const tables = [
    [['agent', 'list']],
    [['friend', 'list']],
    [['cron', 'list']],
    [['subuser', 'list']],
    [['session', 'list']],
    [['cron', 'remove', 'coffee']],
  ];
  const scenes = {
    tables,
    tree: [[['topology', '--tree']], [['whoami']]],
    chat: [[['chat'], chatKeys()]],
  };
  for (const [name, scene] of Object.entries(scenes))
    for (const columns of [80, 140]) {
      const rows = await record(scene, columns);
      for (const theme of ['light', 'dark']) {
        const file = join(shotsFolder, `${name}-${columns}-${theme}.svg`);
        writeFileSync(file, toSvg(rows, { columns, title: `daycare, ${columns} columns`, theme }));
      }
    }
}
