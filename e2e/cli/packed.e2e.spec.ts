import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Cli } from '../support/cli/cli';
import { hasPty, Pty } from '../support/cli/pty';
import { useSharedStack } from '../support/stack/use-stack';

const run = promisify(execFile);
const built = join(__dirname, '../../dist/cli');
const stack = useSharedStack();
const npm = ['--offline', '--no-audit', '--no-fund', '--loglevel', 'error'];

let cli: Cli;
let folder: string;
let daycare: string;
let env: NodeJS.ProcessEnv;

/** Installs the packed command in a folder without a workspace above it, signed in by a token only. */
beforeAll(async () => {
  cli = await Cli.open(stack);
  folder = await mkdtemp(join(tmpdir(), 'daycare-packed-'));
  const PATH = process.env['PATH'];
  const home = { PATH, HOME: folder, npm_config_cache: join(folder, 'cache') };
  await run('npm', ['pack', built, '--pack-destination', folder, ...npm], { env: home });
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', `./${tarball}`, ...npm], { cwd: folder, env: home });
  daycare = join(folder, 'node_modules/.bin/daycare');
  env = { PATH: `${join(folder, 'node_modules/.bin')}:${PATH}`, HOME: folder, TERM: 'xterm' };
}, 120_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await cli.close();
});

const ask = async (...argv: string[]): Promise<string> =>
  (await run(daycare, argv, { cwd: folder, env })).stdout;

describe('the packed command', () => {
  it('signs in with a token from anywhere, and knows no local stack', async () => {
    await cli.run(['login', '--data-dir', cli.folder, '--name', 'Ada']);
    const { stdout } = await cli.run([
      ...['token', 'create', 'laptop', '-o', 'json', '--scope'],
      ...['agents:read', '--scope', 'agents:talk', '--scope', 'friends', '--scope', 'subusers'],
    ]);
    const { secret } = JSON.parse(stdout) as { secret: string };
    const addresses = (['identity', 'social-graph', 'agent-runtime', 'topology'] as const).flatMap(
      (name) => [`--${name}`, stack.addressOf(name)],
    );
    expect(await ask('login', '--token', secret, ...addresses)).toMatch(/^Signed in as Ada/);
    expect(await ask('version')).toContain(process.version);
    await expect(ask('up')).rejects.toMatchObject({
      stderr: expect.stringContaining('daycare login --server'),
    });
  });

  it('completes names, and finds what they name', async () => {
    await ask('agent', 'send', 'hello', '--wait');
    await ask('cron', 'add', 'tea', '0 16 * * *', 'Make tea');
    const script = await ask('completion', 'bash');
    const words = `COMP_WORDS=(daycare cron show te); COMP_CWORD=3; _daycare; echo "$COMPREPLY"`;
    const { stdout } = await run('bash', ['--norc', '-c', `${script}\n${words}`], { env });
    expect(stdout.trim()).toBe('tea');
    expect(JSON.parse(await ask('cron', 'show', 'TEA', '-o', 'json'))).toMatchObject({
      name: 'tea',
    });
  });
});

const describeAtTerminal = hasPty || process.env['CI'] === 'true' ? describe : describe.skip;

describeAtTerminal('the packed command at a terminal of 80 columns', () => {
  const opened: Pty[] = [];
  const open = (...argv: string[]): Pty => {
    const terminal = new Pty([daycare, ...argv], env, { columns: 80 });
    opened.push(terminal);
    return terminal;
  };
  // A chat that is still open would see, and mark as seen, what the next one expects.
  afterEach(() => opened.splice(0).forEach((terminal) => terminal.kill()));
  const screenOf = async (...argv: string[]): Promise<string> => {
    const terminal = open(...argv);
    await expect(terminal.exited).resolves.toBe(0);
    return terminal.shown;
  };

  it('tables fit, with names, short ids and ages', async () => {
    const shown = await screenOf('cron', 'list');
    const lines = shown.trim().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toMatch(/^ID +NAME +SCHEDULE +STATUS +NEXT +LAST RUN +PROMPT/);
    expect(lines[1]).toMatch(/^[0-9a-f]{8} +tea +0 16 \* \* \* +active +in \d+h +- +Make tea/);
  });

  it('commands that depend on an agent show which one, and ask before they delete', async () => {
    expect(await screenOf('agent', 'show')).toMatch(/^Using agent cli:me \([a-z0-9]{8}\)\.\n/);
    const removing = open('memory', 'delete', 'anna');
    await removing.see(/Delete memory node anna for good\? \[y\/N\] $/);
    await removing.enter('n', /Nothing was changed\./);
    await expect(removing.exited).resolves.toBe(1);
  });

  it('the chat shows that the agent works, renders Markdown and leaves on a second Ctrl-C', async () => {
    const chat = open('chat');
    await chat.see(/> $/);
    await chat.enter('make it **bold**', /You said: make it bold\n/);
    expect(chat.raw).toContain('\u001b[1mbold\u001b[22m');
    expect(chat.shown).toMatch(/(?:sending|thinking) 0s > /);
    await chat.enter('/model', /Model: local\/echo/);
    chat.type('\u001b[200~one\r\ntwo\u001b[201~');
    await chat.see(/> one⏎two$/);
    await chat.enter('', /You said: one\ntwo\n/);
    chat.type('\u0003');
    await chat.see(/Press Ctrl-C again/);
    chat.type('\u0003');
    await expect(chat.exited).resolves.toBe(0);
  });

  it('the chat calls friends and agents by their names', async () => {
    const bob = await stack.people.newPerson();
    const { nametag } = JSON.parse(await ask('whoami', '-o', 'json')) as { nametag: string };
    const add = { requestId: 'add', nametag };
    await stack.graph.addFriend(add, bob.as);
    await ask('friend', 'add', bob.nametag);
    await ask('friend', 'nickname', 'Somebody', 'Bobby');
    const message = { requestId: 'send', nametag, message: 'Dinner at eight?' };
    await stack.graph.sendFriendMessage(message, bob.as);
    const chat = open('chat');
    await chat.see(new RegExp(`Bobby's agent \\(${bob.nametag}\\): Dinner at eight\\?`));
    chat.type('\u0004');
    await expect(chat.exited).resolves.toBe(0);
  });
});
