import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@daycare/testing';
import { Cli } from '../support/cli/cli';
import { hasPty, Pty } from '../support/cli/pty';
import type { Person } from '../support/people/people';
import { useSharedStack } from '../support/stack/use-stack';

const run = promisify(execFile);
const built = join(__dirname, '../../dist/cli');
const stack = useSharedStack();
const npmOptions = ['--offline', '--no-audit', '--no-fund', '--loglevel', 'error'];
const ctrl = { c: '\u0003', d: '\u0004' };
const columns = 80;

let cli: Cli;
let folder: string;
let daycare: string;
let env: NodeJS.ProcessEnv;
let nametag: string;
let bob: Person;

/** Installs the packed command in a folder outside any workspace; the first test signs it in with a token. */
beforeAll(async () => {
  cli = await Cli.open(stack);
  folder = await mkdtemp(join(tmpdir(), 'daycare-packed-'));
  const PATH = process.env['PATH'];
  const home = { PATH, HOME: folder, npm_config_cache: join(folder, 'cache') };
  await run('npm', ['pack', built, '--pack-destination', folder, ...npmOptions], { env: home });
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', `./${tarball}`, ...npmOptions], { cwd: folder, env: home });
  daycare = join(folder, 'node_modules/.bin/daycare');
  env = { PATH: `${join(folder, 'node_modules/.bin')}:${PATH}`, HOME: folder, TERM: 'xterm' };
  bob = await stack.people.newPerson();
}, 120_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await cli.close();
});

const runCommand = async (...argv: string[]): Promise<string> =>
  (await run(daycare, argv, { cwd: folder, env })).stdout;

let noteCount = 0;
const writeAs = (person: Person, message: string) =>
  stack.graph.sendFriendMessage({ requestId: `note-${noteCount++}`, nametag, message }, person.as);
const sendFriendRequest = (person: Person) =>
  stack.graph.addFriend({ requestId: 'add', nametag }, person.as);

describe('a newcomer with the packed command', () => {
  it('outside the repository, the packed command signs in with a token, and refuses to start a local stack', async () => {
    await cli.run(['login', '--data-dir', cli.folder, '--name', 'Ada']);
    const { stdout } = await cli.run([
      ...['token', 'create', 'laptop', '-o', 'json', '--scope'],
      ...['agents:read', '--scope', 'agents:talk', '--scope', 'friends', '--scope', 'subusers'],
    ]);
    const { secret } = JSON.parse(stdout) as { secret: string };
    const addresses = (['identity', 'social-graph', 'agent-runtime', 'topology'] as const).flatMap(
      (name) => [`--${name}`, stack.addressOf(name)],
    );
    expect(await runCommand('login', '--token', secret, ...addresses)).toMatch(
      /^Signed in as Ada.* Commands now use context /,
    );
    ({ nametag } = JSON.parse(await runCommand('whoami', '-o', 'json')) as { nametag: string });
    expect(await runCommand('version')).toContain(process.version);
    await expect(runCommand('up')).rejects.toMatchObject({
      stderr: expect.stringContaining('daycare login --server'),
    });
  });

  it.each([
    ['friend add', /missing required argument[^]*"daycare friend add --help"/],
    ['friend dance', /unknown command 'dance'[^]*"daycare friend --help"/],
    ['agnet list', /Did you mean agent\?[^]*"daycare help"/],
    ['cron remove tee', /Run "daycare cron list"[^]*Help: daycare cron remove --help/],
    ['cron show tee -o json', /^\{"error":\{"message":"There is no cron \\"tee\\"\."/],
    ['friend add nobody99', /not found\.\nCheck the nametag[^]*Help: daycare friend add --help/],
  ])('daycare %s fails with an error that says what to do', async (line, stderr) => {
    await expect(runCommand(...line.split(' '))).rejects.toMatchObject({
      stderr: expect.stringMatching(stderr),
    });
  });
});

const describeAtTerminal = hasPty || process.env['CI'] === 'true' ? describe : describe.skip;

describeAtTerminal('a day in the life of a person with friends, at an 80-column terminal', () => {
  const terminals: Pty[] = [];
  const open = (...argv: string[]): Pty => {
    const terminal = new Pty([daycare, ...argv], env, { columns });
    terminals.push(terminal);
    return terminal;
  };
  // A chat that is still open would show, and mark as seen, what the next test expects in its own chat.
  afterEach(() => terminals.splice(0).forEach((terminal) => terminal.kill()));
  const screenOf = async (...argv: string[]): Promise<string> => {
    const terminal = open(...argv);
    await expect(terminal.exited).resolves.toBe(0);
    return terminal.output;
  };
  const leave = async (chat: Pty): Promise<void> => {
    chat.type(ctrl.d);
    await expect(chat.exited).resolves.toBe(0);
  };
  const isShown = (text: string, chat: Pty): boolean => chat.output.includes(text);

  it('the first chat shows a friend request that arrived earlier', async () => {
    await sendFriendRequest(bob);
    const chat = open('chat');
    await chat.waitFor(new RegExp(`${bob.nametag} wants to be friends`));
    await chat.waitFor(/Model: local\/echo \(.*\)\s+Use a real one: npx daycare model add/);
    await leave(chat);
  });

  it('the first chat with an agent shows all earlier messages from friends, with the friends’ names', async () => {
    await runCommand('friend', 'add', bob.nametag);
    await runCommand('friend', 'nickname', 'Somebody', 'Bobby');
    for (const note of ['note 1', 'note 2', 'note 3']) await writeAs(bob, note);
    const chat = open('chat');
    await chat.enter('hello', /You said: hello\n/);
    await chat.waitFor(new RegExp(`Bobby's agent \\(${bob.nametag}\\): [^]*note 1[^]*note 3`));
    const shown = [1, 2, 3].filter((note) => isShown(`note ${note}`, chat));
    expect(shown).toEqual([1, 2, 3]);
    await leave(chat);
  });

  it('the chat shows what has arrived since the last visit, and nothing older', async () => {
    await writeAs(bob, 'while you were away');
    const line = new RegExp(`Bobby's agent \\(${bob.nametag}\\): while you were away`);
    await eventually(async () => line.test(await runCommand('agent', 'history')));
    const chat = open('chat');
    await chat.waitFor(line);
    expect(chat.output).not.toContain('You said: hello');
    await leave(chat);
  });

  it('the chat shows that the agent is working, renders Markdown and exits on a second Ctrl-C', async () => {
    const chat = open('chat');
    await chat.waitFor(/> $/);
    await chat.enter('make it **bold**', /You said: make it bold\n/);
    expect(chat.rawOutput).toContain('\u001b[1mbold\u001b[22m');
    expect(chat.output).toMatch(/(?:sending|thinking) 0s > /);
    await chat.enter('/model', /Model: local\/echo/);
    const words = Array.from({ length: 20 }, (_, at) => `word${at}`).join(' ');
    await chat.enter(words, /You said: word0 .*word10\nword11 .*word19\n/);
    chat.type('\u001b[200~one\r\ntwo\u001b[201~');
    await chat.waitFor(/> one⏎two$/);
    await chat.enter('', /You said: one\ntwo\n/);
    chat.type(ctrl.c);
    await chat.waitFor(/Press Ctrl-C again/);
    chat.type(ctrl.c);
    await expect(chat.exited).resolves.toBe(0);
  });

  it('a cron that is run by hand reports in the chat under its name, and daycare cron list shows its last run', async () => {
    await runCommand(
      'cron',
      'add',
      'tea',
      '0 16 * * *',
      'Make tea, and say which kind I liked best',
    );
    await runCommand('cron', 'run', 'TEA');
    const chat = open('chat');
    await chat.waitFor(/cron "tea": [^]*Make tea/);
    await leave(chat);
    expect(await runCommand('cron', 'list')).toMatch(/\btea\b.*answered/);
  });

  it('tables fit the terminal and show names, short ids and ages', async () => {
    // The CLI creates a subuser with a tool call, which access tokens may not make.
    await cli.run(['subuser', 'create', 'cook', '--prompt', 'You know recipes.']);
    await runCommand('friend', 'share', 'bobby', 'cook');
    const expected: readonly [string, RegExp][] = [
      ['cron list', /^ID +NAME +SCHEDULE +STATUS +NEXT +LAST RUN +PROMPT\n[0-9a-f]{8} +tea .*…/],
      ['agent list', /^ID +NAME .*LAST ACTIVE +AGE\n[^]*^[a-z0-9]{8} +cron:tea +cron/m],
      ['friend list', new RegExp(`Bobby +${bob.nametag}[^]*cook +[a-z0-9]+ +to Bobby +pending`)],
      ['subuser list', /^ID +NAME +NAMETAG +AGE[^]*\n[a-z0-9]{8} +cook/],
      ['topology --tree', new RegExp(`─ cron:tea[^]*─ cook[^]*─ Bobby ${bob.nametag}`)],
    ];
    await Promise.all(
      expected.map(async ([line, screen]) => {
        const shown = await screenOf(...line.split(' '));
        expect(shown).toMatch(screen);
        const widest = Math.max(...shown.split('\n').map(({ length }) => length));
        expect([line, widest <= columns]).toEqual([line, true]);
      }),
    );
  });

  it('the shell completes names, and commands find resources by their names', async () => {
    const script = await runCommand('completion', 'bash');
    const complete = async (...words: string[]): Promise<string> => {
      const line = `COMP_WORDS=(daycare ${words.join(' ')}); COMP_CWORD=${words.length}; _daycare; echo "$COMPREPLY"`;
      return (await run('bash', ['--norc', '-c', `${script}\n${line}`], { env })).stdout.trim();
    };
    expect(await complete('cron', 'show', 'te')).toBe('tea');
    expect(await complete('friend', 'send', 'Bo')).toBe('Bobby');
    const shown = JSON.parse(await runCommand('cron', 'show', 'TEA', '-o', 'json')) as {
      name: string;
    };
    expect(shown.name).toBe('tea');
  });

  it('a stranger who takes a friend’s name is not mistaken for the friend', async () => {
    const mallory = await stack.people.newPerson('Bobby');
    await sendFriendRequest(mallory);
    expect(await runCommand('friend', 'send', 'Bobby', 'hi')).toContain(
      `Message sent to ${bob.nametag}`,
    );
    const zoe = await stack.people.newPerson('Zoe');
    await sendFriendRequest(zoe);
    await expect(runCommand('friend', 'add', 'Zoe')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the name given in a friend request from ${zoe.nametag}.`),
    });
  });

  it('commands show which agent they use, and ask before they delete anything', async () => {
    expect(await screenOf('agent', 'show')).toMatch(/^Using agent cli:me \([a-z0-9]{8}\)\.\n/);
    const questions: readonly [string, RegExp][] = [
      ['friend remove Bobby', new RegExp(`Remove Bobby \\(${bob.nametag}\\)\\?[^]*\\[y/N\\] $`)],
      ['subuser delete cook', /Delete subuser cook [^]*\[y\/N\] $/],
      ['memory delete anna', /Delete memory node anna for good\? \[y\/N\] $/],
    ];
    await Promise.all(
      questions.map(async ([line, question]) => {
        const removing = open(...line.split(' '));
        await removing.waitFor(question);
        await removing.enter('n', /Nothing was changed\./);
        await expect(removing.exited).resolves.toBe(1);
      }),
    );
  });

  it('daycare topology --watch prints a line with the time for each change', async () => {
    const watching = open('topology', '--watch');
    await watching.waitFor(/└─/);
    await runCommand('cron', 'add', 'milk', '0 8 * * *', 'Buy milk');
    await watching.waitFor(/\n\d\d:\d\d:\d\d \+ .*milk/);
    expect(watching.output.match(/friends \(1\)/g)).toHaveLength(1);
  });
});
