import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { eventually } from '@daycare/testing';
import type { Command } from 'commander';
import { specOf } from '../../apps/cli/src/commands/kit/command';
import { loadAll } from '../../apps/cli/src/commands/kit/lazy-commands';
import { readSettings } from '../../apps/cli/src/config';
import { buildProgram } from '../../apps/cli/src/program';
import { useStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';
import { silentGateway, type SilentGateway } from '../support/stack/silent-gateway';
import { Cli, type CliResult } from '../support/cli/cli';
import { transcript } from '../support/cli/cli-transcript';
import type { Preparation, Step } from '../support/cli/step';
import { recordFigure } from '../support/stack/record-figure';

const stack = useStack({ envOf: { topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' } } });
const { people } = stack;

let cli: Cli;
const values: Record<string, string> = {};

beforeAll(async () => {
  cli = await Cli.open(stack);
  values['data'] = cli.folder;
  values['identity'] = stack.addressOf('identity');
});
afterAll(() => cli.close());

const fill = (text: string): string =>
  text.replace(/\$([a-zA-Z]+)/g, (_, name: string) => values[name] ?? `(no ${name})`);

/** Replaces each `$name` in an expectation, even inside matchers, with the value that an earlier step has kept. */
function fillAll(value: unknown): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map(fillAll);
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  if ('asymmetricMatch' in value) {
    const matcher = value as { sample?: unknown };
    return Object.assign(Object.create(Object.getPrototypeOf(value) as object) as object, matcher, {
      sample: fillAll(matcher.sample),
    });
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, fillAll(part)]));
}

function pick(json: unknown, path: string): string {
  const value = path.split('.').reduce<unknown>((part, key) => (part as never)[key], json);
  return String(value);
}

async function play({ argv, stdin, env, code = 0, json, text, keep = {} }: Step): Promise<void> {
  const format = json === undefined && Object.keys(keep).length === 0 ? [] : ['-o', 'json'];
  const result: CliResult = await cli.run([...argv.map(fill), ...format], {
    ...(stdin === undefined ? {} : { stdin: fill(stdin) }),
    ...(env ? { env: fillAll(env) as NodeJS.ProcessEnv } : {}),
  });
  expect([result.code, result.stderr]).toEqual([code, expect.any(String)]);
  if (text) expect(code === 0 ? result.stdout : result.stderr).toMatch(text);
  // Errors that the user can fix show no stack trace.
  expect(result.stderr).not.toMatch(/^\s+at /m);
  if (format.length === 0) return;
  const answer = JSON.parse(result.stdout) as unknown;
  if (json !== undefined) expect(answer).toMatchObject(fillAll(json) as object);
  for (const [name, path] of Object.entries(keep)) values[name] = pick(answer, path);
}

let gateway: SilentGateway;

async function signIn(name: string): Promise<Person> {
  const [id, nametag] = [values[`${name}Id`]!, values[name]!];
  const user = { id, nametag, name, parentUserId: '', description: '', timeZone: '' };
  return { ...user, as: await people.signIn(id) };
}

const prepare: Record<Preparation, () => Promise<void>> = {
  async undelivered() {
    const [ada, bob] = await Promise.all([signIn('ada'), signIn('bob')]);
    const subuser = await people.newSubuser(ada);
    gateway = await silentGateway(stack, subuser);
    await people.share(ada, bob, subuser);
    await people.acceptShare(bob, subuser);
    await people.message(bob, subuser, 'Hello?');
  },
  async gateway() {
    await gateway.wake();
  },
};

describe('a session at the terminal', () => {
  it.each(transcript.map((step) => [step.argv.join(' '), step.code ?? 0, step] as const))(
    'daycare %s exits with %d',
    async (_, __, step) => {
      if (step.before) await prepare[step.before]();
      if (!step.eventually) return play(step);
      await eventually(() => play(step).then(() => true), { intervalMs: 200 });
    },
  );

  it('the session has written the exported agent and the downloaded file', async () => {
    const state = await readFile(`${cli.folder}/kept/state.json`, 'utf8');
    expect(JSON.parse(state)).toMatchObject({ agentId: values['agent'] });
    await expect(readFile(`${cli.folder}/copy.txt`, 'utf8')).resolves.toBe('plain words');
  });
});

const asAda = (...argv: string[]): Promise<CliResult> => cli.run([...argv, '--context', 'ada']);

describe('an expired token', () => {
  interface File {
    current: string;
    contexts: Record<string, { tokens: Record<string, string> }>;
  }
  const edit = async (change: (file: File) => void): Promise<File> => {
    const file = parse(await readFile(cli.configFile, 'utf8')) as File;
    change(file);
    await writeFile(cli.configFile, stringify(file));
    return file;
  };
  const past = new Date(0).toISOString();

  it('concurrent commands with an expired token refresh it, store the new one and succeed', async () => {
    const before = await edit(({ contexts }) => {
      contexts['ada']!.tokens['accessExpiresAt'] = past;
    });
    const runs = await Promise.all([asAda('user', 'get'), asAda('friend', 'list')]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    const after = await edit(() => undefined);
    const { access, refresh } = after.contexts['ada']!.tokens;
    expect(access).not.toBe(before.contexts['ada']!.tokens['access']);
    expect(refresh).not.toBe(before.contexts['ada']!.tokens['refresh']);
    expect((await asAda('user', 'get')).code).toBe(0);
    expect((await stat(cli.configFile)).mode & 0o777).toBe(0o600);
  });

  it('a command whose expired token cannot be refreshed prints how to sign in again', async () => {
    await edit(({ contexts }) => {
      const tokens = { access: 'a.b.c', accessExpiresAt: past };
      contexts['spent'] = { tokens };
      contexts['gone'] = { ...contexts['ada'], tokens: { ...tokens, refresh: 'unknown' } };
    });
    for (const context of ['spent', 'gone']) {
      const { code, stderr } = await cli.run(['user', 'get', '--context', context], {
        env: { DAYCARE_IDENTITY_ADDRESS: stack.addressOf('identity') },
      });
      expect([code, stderr]).toEqual([
        4,
        expect.stringMatching(/expired \(context "\w+"\)\.\nSign in with "daycare login"\.\n$/),
      ]);
    }
  });
});

describe('daycare agent watch', () => {
  it('daycare agent watch neither misses nor repeats a record when agent-runtime is killed and restarted', async () => {
    const argv = ['agent', 'watch', values['agent']!, '--limit', '4', '-o', 'json'];
    let shown = '';
    const watching = cli.run([...argv, '--context', 'ada'], { onStdout: (text) => (shown = text) });
    const say = (text: string) => asAda('agent', 'send', text, '--wait', '--timeout', '20');
    // Only new records are shown, so messages are sent until the watch has begun.
    expect((await say('first')).code).toBe(0);
    await eventually(() => shown.includes('first') || say('first').then(() => false), {
      timeoutMs: 20_000,
    });
    const runtime = stack.service('agent-runtime');
    await runtime.kill();
    await runtime.restart();
    // The watch may have begun in the middle of a turn, so messages are sent until it has shown four records.
    let ended = false;
    void watching.finally(() => (ended = true));
    await eventually(() => ended || say('last').then(() => false));
    const { code, stdout } = await watching;
    expect(code).toBe(0);
    const sequences = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    expect(sequences).toEqual(sequences.map((_, index) => sequences[0]! + index));
  });
});

describe('the command tree', () => {
  /** Commands that run until interrupted, or are tested elsewhere. */
  const playedElsewhere = new Set([
    'up',
    'chat',
    'demo',
    'doctor',
    'connector watch',
    'admin shard',
    'backup',
    'restore',
    'stop',
    'logs',
  ]);
  const leaves = (command: Command, path: string[] = []): [string, Command][] =>
    command.commands.length === 0
      ? [[path.join(' '), command]]
      : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));

  it('every command has a description, an example and, unless tested elsewhere, a successful step with JSON output in the transcript', async () => {
    const program = buildProgram(readSettings({}));
    await loadAll(program);
    const played = transcript
      .filter(({ code = 0, json }) => code === 0 && json !== undefined)
      .map(({ argv }) => argv.join(' '));
    const incomplete = leaves(program).filter(([path, command]) => {
      const spec = specOf(command);
      const isPlayed =
        playedElsewhere.has(path) || played.some((line) => `${line} `.startsWith(`${path} `));
      return !isPlayed || !spec?.description || spec.examples.length === 0;
    });
    expect(incomplete.map(([path]) => path)).toEqual([]);
  });

  it('--help lists every command that is not hidden', async () => {
    const beganMs = performance.now();
    const { code, stdout } = await cli.run(['--help']);
    recordFigure('daycare --help', performance.now() - beganMs);
    const listed = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    const program = buildProgram(readSettings({}));
    const visible = program.createHelp().visibleCommands(program);
    const names = visible.map((command) => command.name());
    expect([code, names.filter((name) => !listed.includes(name))]).toEqual([0, []]);
  });
});
