import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createCredentials } from '@daycare/local-stack';
import { eventually, hang, ModelServer } from '@daycare/testing';
import { useStack } from '../support/stack/use-stack';
import { Cli } from '../support/cli/cli';
import { hasPty, Pty } from '../support/cli/pty';

const program = join(__dirname, '../../dist/cli/main.js');
const ctrl = { c: '\u0003', d: '\u0004' };
const up = '\u001b[A';
/** Short, so that a token expires while a stream is open. Services accept it a little longer, because clocks differ. */
const tokenMs = 1_000;
const toleratedMs = 5_000;
const clientSecret = 'a-secret-of-the-bridge';
/** A model that never answers. */
let slow: ModelServer;
const stack = useStack(async () => {
  slow = await ModelServer.start(() => hang);
  return {
    credentials: { ...createCredentials(), clients: { bridge: clientSecret } },
    envOf: {
      topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' },
      identity: { DAYCARE_ACCESS_TOKEN_MS: String(tokenMs) },
      'agent-runtime': { DAYCARE_PROVIDERS: `slow=${slow.url}` },
    },
  };
});
let cli: Cli;

beforeAll(async () => {
  cli = await Cli.open(stack);
  await cli.run(['login', '--data-dir', cli.folder, '--name', 'Ada']);
});
afterAll(async () => {
  await cli.close();
  await slow.close();
});

const permissions = async (state: string): Promise<{ id: string; permission: string }[]> => {
  const { stdout } = await cli.run(['permission', 'list', '--state', state, '-o', 'json']);
  return JSON.parse(stdout) as { id: string; permission: string }[];
};
const ask = (permission: string): string =>
  `/request_permission {"permission":"${permission}","reason":"To look it up"}`;

describe('daycare topology --watch', () => {
  it('daycare topology --watch continues after its token has expired', async () => {
    let shown = '';
    const argv = ['topology', '--watch', '--limit', '2', '-o', 'json'];
    const watching = cli.run(argv, { onStdout: (text) => (shown = text) });
    await eventually(() => shown.includes('\n'));
    const refusedMs = Date.now() + tokenMs + toleratedMs;
    await eventually(() => Date.now() > refusedMs);
    await cli.run(['agent', 'send', 'late', '--channel', 'late']);
    const { code, stdout, stderr } = await watching;
    expect([code, stderr]).toEqual([0, '']);
    const views = stdout.trim().split('\n');
    expect(views.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { agents: { count: 0 } },
      { agents: { count: 1 } },
    ]);
  });
});

describe('daycare connector watch', () => {
  it('daycare connector watch shows the records of a connector’s agents, and continues from a position', async () => {
    const header = join(cli.folder, 'bridge.header');
    const credential = Buffer.from(`bridge:${clientSecret}`).toString('base64');
    await writeFile(header, `authorization: Basic ${credential}\n`);
    const metadata = { authorization: `Basic ${credential}` };
    const key = { requestId: 'key', connector: 'bridge', key: '7', name: 'Dan' };
    const { user } = await stack.identity.resolveConnectorKey(key, { metadata });
    const forDan = { userId: user!.id, agentId: '', publicKeyJwk: '' };
    const { tokens } = await stack.identity.issueToken(forDan, { metadata });
    const asDan = { metadata: { authorization: `Bearer ${tokens!.accessToken}` } };
    const channel = { connector: 'bridge', connectorUserId: '7', channelId: '7' };
    const message = { requestId: 'hi', text: 'hi', fileIds: [], replyTarget: '', ...channel };
    await stack.runtime.postMessage(message, asDan);
    const watch = (...more: string[]) =>
      cli.run(['connector', 'watch', '--client-header', header, '-o', 'json', ...more]);
    const first = await watch('--limit', '2');
    expect([first.code, first.stderr]).toEqual([0, '']);
    const events = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(events).toMatchObject([{ channel, record: { start: {} } }, { record: { sequence: 2 } }]);
    const { position } = events[1] as { position: string };
    const second = await watch('--limit', '1', '--position', position);
    expect(JSON.parse(second.stdout)).toMatchObject({ userId: user!.id, record: { sequence: 3 } });
    const withoutHeader = await cli.run(['connector', 'watch']);
    expect([withoutHeader.code, withoutHeader.stderr]).toEqual([
      4,
      expect.stringContaining('--client-header'),
    ]);
  });
});

describe('daycare chat without a terminal', () => {
  it('daycare chat sends each line of stdin, prints tool calls and answers, and exits when everything is answered', async () => {
    const lines = ['hello', '', '/friend_list {}', '/history 1', 'bye'];
    const { code, stdout, stderr } = await cli.run(['chat', '--channel', 'lines'], {
      stdin: lines.join('\n'),
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'You said: hello',
      '→ friend_list {}',
      expect.stringMatching(/^friend_list: \{"summary"/),
      expect.stringMatching(/^\d+ \S+Z agent: friend_list: \{/),
      'You said: bye',
      '',
    ]);
  });

  it('daycare chat sends files and saves those in the replies without overwriting existing files', async () => {
    await writeFile(join(cli.folder, 'note.txt'), 'plain words');
    await cli.run(['file', 'write', 'home/note.txt', 'from the agent']);
    const attach = '/attach_file {"path":"home/note.txt"}';
    const lines = ['/save', '/attach note.txt', 'see', attach, '/save', '/save in'];
    const { code, stdout } = await cli.run(['chat', '--channel', 'files'], {
      stdin: lines.join('\n'),
    });
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        'No reply has files yet.',
        'Attached note.txt (11 bytes); it goes out with your next message.',
        'You said: see',
        `→ attach_file {"path":"home/note.txt"}`,
        expect.stringMatching(/^attach_file: \{"summary":"note.txt \(14 bytes\) is attached/),
        '[file note.txt, 14 bytes; /save saves it]',
        `Saved ${join(cli.folder, 'note (2).txt')}`,
        `Saved ${join(cli.folder, 'in', 'note.txt')}`,
        '',
      ],
    ]);
    expect(await readFile(join(cli.folder, 'note.txt'), 'utf8')).toBe('plain words');
    expect(await readFile(join(cli.folder, 'in/note.txt'), 'utf8')).toBe('from the agent');
    const { stdout: history } = await cli.run(['agent', 'history']);
    expect(history).toMatch(/you: see \[note.txt \w+\]\n/);
    expect(history).toMatch(/\n\[note.txt \w+\]\n/);
  });

  it('daycare chat -o json prints the records as JSON', async () => {
    const { stdout } = await cli.run(['chat', '--channel', 'lines', '-o', 'json'], { stdin: 'hi' });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { userMessage: { text: 'hi' } },
      { assistantMessage: { text: 'You said: hi' } },
    ]);
  });

  it('daycare chat refuses to chat with an agent that has no channel', async () => {
    const start = await cli.run([
      ...['tool', 'call', 'start_background_agent', '{"prompt":"hi"}', '-o', 'json'],
    ]);
    const { agentId } = JSON.parse(start.stdout) as { agentId: string };
    const { code, stderr } = await cli.run(['chat', '--agent', agentId], { stdin: 'hi' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('You cannot chat with agent')]);
  });
});

/** Skipped if there is no pseudo-terminal, except in CI, where the tests fail instead. */
const describeAtTerminal = hasPty || process.env['CI'] === 'true' ? describe : describe.skip;

describeAtTerminal('daycare chat at a terminal (needs `script` of util-linux)', () => {
  let terminal: Pty;
  beforeAll(() => {
    terminal = new Pty([process.execPath, program, 'chat'], { DAYCARE_CONFIG: cli.configFile });
  });
  afterAll(() => terminal.kill());

  it('the chat greets the user, posts typed lines and shows each answer once', async () => {
    await terminal.waitFor(/You are [a-z]+\d+\./);
    await terminal.waitFor(
      /Model: local\/echo \(.*\)\s+Use a real one: npx daycare model set slow\/<model>/,
    );
    await terminal.enter('good morning', /You said: good morning\n/);
    await terminal.enter('and again', /You said: and again\n/);
    expect(terminal.output.match(/You said: good morning/g)).toHaveLength(1);
    expect(terminal.rawOutput).toContain('\u001b[2mYou are');
  });

  it('the chat asks for a permission inline and sends the decision', async () => {
    await terminal.enter(
      ask('network'),
      /Allow network for agent "cli:me"\? To look it up \[\d\d y = yes, \d\d n = no\] $/,
    );
    // A `y` without the code may have been typed before the question appeared, so it decides nothing.
    await terminal.enter('y', /Answer with one of the choices shown, e\.g\. "\d\d y"/);
    const code = /\[(\d\d) y = yes/.exec(terminal.output)![1]!;
    await terminal.enter(`${code} y`, /network for agent "cli:me": granted\.\n/);
    await terminal.waitFor(/system: The user granted your request for network/);
    expect(await permissions('granted')).toMatchObject([{ permission: 'network' }]);
  });

  it('the chat does not mistake a line being typed for a decision', async () => {
    terminal.type('y');
    await terminal.waitFor(/> y$/);
    await cli.run(['agent', 'send', ask('files')]);
    await terminal.waitFor(/you \(elsewhere\): .*"files"/);
    await terminal.waitFor(/send or clear this line to see the question/);
    await terminal.enter('es', /You said: yes\n/);
    await terminal.waitFor(/Allow files for agent .*\d\d n = no\] $/);
    expect(await permissions('pending')).toMatchObject([{ permission: 'files' }]);
  });

  it('the chat withdraws a permission question that is decided elsewhere', async () => {
    const [request] = await permissions('pending');
    const before = terminal.output.length;
    await cli.run(['permission', 'decide', request!.id, 'deny']);
    await terminal.waitFor(/The user denied your request for files[^]*> $/, before);
  });

  it('the chat cancels a line on Ctrl-C, recalls earlier lines and runs its own commands', async () => {
    terminal.type('never said');
    await terminal.waitFor(/> never said$/);
    terminal.type(ctrl.c);
    await terminal.waitFor(/never said\^C\n> $/);
    await terminal.enter('/reset', /The agent's context was cleared\.\n/);
    await terminal.enter('/topology', /## Agents \(\d+\)/);
    terminal.type(`${up}${up}${up}`);
    await terminal.waitFor(/> yes$/);
    terminal.type(ctrl.c);
    expect(terminal.output).not.toContain('You said: never said');
  });

  it('the chat shows that the agent is thinking, and Ctrl-C stops it', async () => {
    await cli.run(['model', 'set', 'slow/any']);
    await terminal.enter('think about it', /thinking \d+s > $/);
    terminal.type(ctrl.c);
    await terminal.waitFor(/Stopping… Press Ctrl-C again to quit\.[^]*note: Stopped\./);
    await cli.run(['model', 'set', '--clear']);
    await terminal.enter('go on', /You said: go on\n/);
  });

  it('the chat continues after agent-runtime has been killed and restarted', async () => {
    const runtime = stack.service('agent-runtime');
    await runtime.kill();
    await terminal.waitFor(/Connection lost; reconnecting/);
    const before = terminal.output.length;
    await terminal.enter('still there?', /your message will be sent when it is back/);
    await runtime.restart();
    await terminal.waitFor(/You said: still there\?\n/, before);
    expect(terminal.output.match(/You said: good morning/g)).toHaveLength(1);
  });

  it('the chat exits on Ctrl-D and keeps its line history in a file only its owner can read', async () => {
    terminal.type(ctrl.d);
    await expect(terminal.exited).resolves.toBe(0);
    const file = join(dirname(cli.configFile), 'chat-history');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.slice(0, 2)).toEqual(['good morning', 'and again']);
    expect(lines).not.toContain('y');
    const next = new Pty([process.execPath, program, 'chat'], {
      DAYCARE_CONFIG: cli.configFile,
      NO_COLOR: '1',
    });
    try {
      await next.waitFor(/> $/);
      next.type(up);
      await next.waitFor(/> still there\?$/);
      expect(next.rawOutput).not.toContain('\u001b[2m');
      next.type(`${ctrl.c}/quit\r`);
      await expect(next.exited).resolves.toBe(0);
    } finally {
      next.kill();
    }
  });
});
