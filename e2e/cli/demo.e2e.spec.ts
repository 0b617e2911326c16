import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, ModelServer, openAiEvents } from '@daycare/testing';

const cli = join(__dirname, '../../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'daycare-demo-e2e-'));
const dataDir = join(folder, 'data');
const { DAYCARE_MONGO_URL: _mongo, DAYCARE_NATS_URL: _nats, ...inherited } = process.env;
const env = { ...inherited, DAYCARE_CONFIG: join(folder, 'config.yaml') };
let launcher: ChildProcess;
let screen = '';

/** Runs a command of the CLI; interrupts it as soon as its output contains `stopAt`. */
async function run(
  argv: readonly string[],
  extraEnv: NodeJS.ProcessEnv = {},
  stopAt?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [cli, ...argv], { env: { ...env, ...extraEnv } });
  let [stdout, stderr] = ['', ''];
  let isStopped = false;
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes.toString();
    const isDue = !isStopped && stopAt !== undefined && stdout.includes(stopAt);
    if (isDue) isStopped = child.kill('SIGINT');
  });
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

let model: ModelServer;

beforeAll(async () => {
  model = await ModelServer.start(() => ({ steps: openAiEvents({ text: ['I am real.'] }) }));
  const withModel = {
    ...env,
    DAYCARE_PROVIDERS: `own=${model.url}`,
    DAYCARE_OWN_API_KEY: 'secret',
  };
  launcher = spawn(process.execPath, [cli, 'up', '--data-dir', dataDir], { env: withModel });
  for (const stream of [launcher.stdout!, launcher.stderr!]) {
    stream.on('data', (bytes: Buffer) => (screen += bytes.toString()));
  }
  await eventually(() => screen.includes('Press Ctrl-C to stop everything.'), {
    timeoutMs: 30_000,
  });
});
afterAll(async () => {
  if (launcher.exitCode === null) {
    launcher.kill('SIGINT');
    await once(launcher, 'exit');
  }
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Demo {
  ok: boolean;
  kept: boolean;
  steps: {
    title: string;
    ok: boolean;
    tool: string;
    result: object;
    received?: object;
    answer?: object;
  }[];
  topologies: Record<string, string>;
}

const nametagIn = (topology: string): string => /^You are ([a-z]+\d+) /.exec(topology)![1]!;

describe('daycare demo on the stack that daycare up runs', () => {
  it('daycare demo plays the whole story, shows both users’ topologies and removes both users', async () => {
    const { code, stdout, stderr } = await run(['demo', '--data-dir', dataDir, '-o', 'json']);
    expect([code, stderr]).toEqual([0, '']);
    const { ok, kept, steps, topologies } = JSON.parse(stdout) as Demo;
    expect({ ok, kept }).toEqual({ ok: true, kept: false });
    expect(steps.filter((step) => !step.ok)).toEqual([]);
    const [ada, bob] = [nametagIn(topologies['Ada']!), nametagIn(topologies['Bob']!)];
    const byAda = `friend:${ada}`;
    const question = 'Summarize recent findings';
    expect(steps.map(({ tool, received }) => [tool, received])).toMatchObject([
      ['friend_add', { who: 'Bob', origin: byAda, text: expect.stringContaining('friend_add') }],
      ['friend_add', { who: 'Ada', origin: `friend:${bob}` }],
      ['friend_send', { who: 'Bob', text: expect.stringContaining('shall I share') }],
      ['subuser_create', undefined],
      ['friend_share_subuser', { who: 'Bob', origin: byAda }],
      ['friend_add', { who: 'Ada', origin: `friend:${bob}` }],
      ['friend_send', { who: 'assistant', origin: `friend:${bob}`, text: question }],
      ['friend_send', { who: 'assistant', origin: `owner:${ada}` }],
      ['friend_unshare_subuser', { who: 'Bob', origin: byAda }],
      ['friend_send', undefined],
      ['friend_remove', { who: 'Bob', origin: byAda }],
    ]);
    const fromAssistant = { origin: expect.stringMatching(/^subuser:/) };
    expect(steps.flatMap(({ answer }) => answer ?? [])).toMatchObject([
      { who: 'Bob', ...fromAssistant },
      { who: 'Ada', ...fromAssistant },
    ]);
    expect(topologies['Ada']).toMatch(/## Subusers \(1\)[^]*## Friends \(0\)/);
    await run(['login', '--name', 'Eve', '--data-dir', dataDir]);
    expect(await run(['friend', 'add', ada])).toMatchObject({ code: 3 });
    expect(await run(['friend', 'add', bob])).toMatchObject({ code: 3 });
  });

  it('daycare demo --keep uses a context’s addresses and keeps both users', async () => {
    const { services } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')) as {
      services: { name: string; grpcAddress: string }[];
    };
    const addresses = services
      .filter(({ name }) => name !== 'gateway')
      .flatMap(({ name, grpcAddress }) => [`--${name}`, grpcAddress]);
    await run(['context', 'set', 'release', ...addresses]);
    const checked = await run(['doctor', '--remote', '--context', 'release']);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).not.toContain('mongod');
    const admin = ['--admin-header', join(dataDir, 'admin.header')];
    const { code, stdout } = await run(['demo', '--keep', '--context', 'release', ...admin]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/✔ 11\. .*[^]*Bob's topology at the end/),
    ]);
    const { stdout: topology } = await run(['topology', '--context', 'demo-ada']);
    expect(topology).toContain('name="research-assistant"');
  });

  it('daycare demo --keep removes both users if it is interrupted', async () => {
    const { code, stdout, stderr } = await run(
      ['demo', '--keep', '--data-dir', dataDir],
      {},
      'Bob (',
    );
    expect([code, stderr]).toEqual([1, 'The demo was interrupted.\n']);
    const nametags = [...stdout.matchAll(/^ +(?:Ada|Bob) \((\w+)\)/gm)].map(([, tag]) => tag!);
    expect(new Set(nametags).size).toBe(2);
    for (const nametag of nametags) {
      const argv = ['friend', 'add', nametag, '--context', 'eve'];
      expect(await run(argv)).toMatchObject({ code: 3 });
    }
  });

  it('daycare demo fails with an explanation when its context does not exist', async () => {
    const argv = ['demo', '--context', 'nowhere'];
    expect(await run(argv)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no context'),
    });
  });
});

describe('daycare doctor, and the model in use', () => {
  interface Check {
    readonly name: string;
    readonly status: string;
    readonly found: string;
  }
  const examine = async (argv: readonly string[], extraEnv: NodeJS.ProcessEnv = {}) => {
    const { code, stdout } = await run(['doctor', '-o', 'json', ...argv], extraEnv);
    const checks = JSON.parse(stdout) as Check[];
    return {
      code,
      statusOf: (wanted: string) => checks.find(({ name }) => name === wanted)?.status,
      foundOf: (wanted: string) => checks.find(({ name }) => name === wanted)?.found,
    };
  };

  it('daycare doctor finds nothing broken while the stack is running', async () => {
    const { code, statusOf } = await examine(['--data-dir', dataDir]);
    const names = ['MongoDB', 'NATS', 'stack', 'topology', 'config', 'sign-in', 'clock'];
    expect(names.map(statusOf)).toEqual(names.map(() => 'ok'));
    expect(code).toBe(0);
  });

  it('daycare doctor lists everything that is broken, and exits with 1', async () => {
    const port = /identity +127\.0\.0\.1:(\d+)/.exec(screen)![1]!;
    const { code, statusOf } = await examine(['--data-dir', join(folder, 'other')], {
      DAYCARE_MONGOD: '/nowhere/mongod',
      DAYCARE_IDENTITY_PORT: port,
      DAYCARE_TOKEN: 'x.e30.z',
      DAYCARE_TOPOLOGY_ADDRESS: '127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(
      ['MongoDB', 'NATS', `port ${port}`, 'stack', 'sign-in', 'topology'].map(statusOf),
    ).toEqual(['fail', 'ok', 'fail', 'warn', 'fail', 'fail']);
  });

  it('the start screen shows the model in use and the command that changes it', () => {
    expect(screen).toMatch(/Model: local\/echo \(.*only repeats what you say\)/);
    expect(screen).toContain('Use a real one: npx daycare model set own/<model> --instance');
  });

  it('existing agents switch to a real model and back with the instance’s choice, and doctor tests the model', async () => {
    const send = async () => (await run(['agent', 'send', 'hello', '--wait'])).stdout;
    const check = async () => (await examine(['--data-dir', dataDir])).foundOf('model');
    expect(await send()).toContain('You said: hello');
    expect(await check()).toContain('local/echo');
    const set = await run(['model', 'set', 'own/m1', '--instance']);
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('Now using own/m1') });
    expect(await send()).toContain('I am real.');
    expect(model.lastRequest.headers.authorization).toBe('Bearer secret');
    expect(await check()).toMatch(/^own\/m1 answered in \d+ ms$/);
    model.reply({
      status: 401,
      headers: { 'content-type': 'application/json' },
      steps: [JSON.stringify({ error: { message: 'no', type: 'authentication_error' } })],
    });
    const { code, foundOf } = await examine(['--data-dir', dataDir]);
    expect([code, foundOf('model')]).toEqual([
      1,
      'own rejected the API key: correct DAYCARE_OWN_API_KEY of agent-runtime.',
    ]);
    await run(['model', 'set', '--clear', '--instance']);
    expect(await send()).toContain('You said: hello');
  }, 60_000);

  it('one command adds a provider to a running stack, and existing agents use it', async () => {
    const keyFile = join(folder, 'key.txt');
    writeFileSync(keyFile, 'gsk-hush\n');
    const argv = ['model', 'add', 'groq/m2', model.url, '--use', '--key-file', keyFile];
    expect(await run(argv)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('groq/m2 responds and is now the default for all users'),
    });
    const answer = await run(['agent', 'send', 'hello', '--wait']);
    expect(answer.stdout).toContain('I am real.');
    expect(model.lastRequest.headers.authorization).toBe('Bearer gsk-hush');
    const { foundOf } = await examine(['--data-dir', dataDir]);
    expect(foundOf('model')).toMatch(/^groq\/m2 answered/);
    const logs = join(dataDir, 'logs');
    for (const log of readdirSync(logs))
      expect(readFileSync(join(logs, log), 'utf8')).not.toContain('gsk-hush');
    await run(['model', 'set', '--clear', '--instance']);
    expect(await run(['model', 'remove', 'groq'])).toMatchObject({ code: 0 });
  }, 60_000);
});
