import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = resolve(__dirname, '../../..');
const built = join(root, 'dist/client');
const bin = (name: string): string => join(root, 'node_modules/.bin', name);
let folder: string;
let tarball: string;

/** Runs a program in the folder that has nothing but the package. */
function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-client-'));
  const packed = run('npm', 'pack', built, '--ignore-scripts', '--json', '--silent');
  tarball = join(folder, (JSON.parse(packed) as [{ filename: string }])[0].filename);
  const modules = join(folder, 'node_modules');
  for (const scope of ['@daycare/client', '@grpc', '@bufbuild', '@types'])
    mkdirSync(join(modules, scope), { recursive: true });
  run('tar', '-xzf', tarball, '-C', join(modules, '@daycare/client'), '--strip-components=1');
  for (const name of ['@grpc/grpc-js', '@bufbuild/protobuf', '@types/node'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package @daycare/client', () => {
  it('passes publint', () => {
    expect(run(bin('publint'), tarball, '--strict')).toContain('All good!');
  }, 60_000);

  it('has types that resolve in every kind of project', () => {
    expect(run(bin('attw'), tarball)).toContain('No problems found');
  }, 60_000);

  it.each([
    ['ESM', 'ask.mjs', "import { connect, DaycareError } from '@daycare/client';"],
    ['CommonJS', 'ask.cjs', "const { connect, DaycareError } = require('@daycare/client');"],
    ['ESM by fetch', 'web.mjs', "import { connect, DaycareError } from '@daycare/client/browser';"],
  ])('works as %s', (_, file, line) => {
    const program = `${line}
const daycare = connect({ url: 'http://127.0.0.1:1', token: 'none' });
daycare.rpc.identity.issueToken({ userId: '', agentId: '', publicKeyJwk: '' }).catch((error) => {
  console.log(String(error instanceof DaycareError), error.reason);
  daycare.close();
});`;
    writeFileSync(join(folder, file), program);
    expect(run(process.execPath, file)).toBe('true UNAVAILABLE\n');
  });

  it('types its calls, events and errors', () => {
    const program = `import { connect, isDaycareError } from '@daycare/client';
const daycare = connect({ url: 'http://127.0.0.1:8080', token: async () => 'token' });
export async function main(): Promise<string> {
  for await (const friend of daycare.friends.list()) friend.nametag.toUpperCase();
  for await (const event of daycare.agent({ channelId: 'work' }).watch({ after: 3 }))
    if (event.$case === 'record') event.value.sequence.toFixed();
  const { agents } = await daycare.rpc.agentRuntime.listAgents({ pageSize: 1, pageToken: '', subuserId: '', kinds: [], includeDead: false });
  // @ts-expect-error -- a number is no text
  await daycare.agent().ask(5).catch((error: unknown) => isDaycareError(error, 'NOT_FOUND') && error.fields);
  return agents[0]?.id ?? '';
}
`;
    writeFileSync(join(folder, 'program.mts'), program);
    const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022'];
    expect(run(process.execPath, tsc, ...strict, '--types', 'node', 'program.mts')).toBe('');
  }, 60_000);

  it('contains no grpc-js in the entry for browsers', () => {
    const text = readFileSync(join(built, 'browser.mjs'), 'utf8');
    expect(text).not.toMatch(/grpc-js|node:/);
  });
});
