import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { startTestGateway, type TestGateway } from '../support/gateway/start-gateway';
import { useSharedStack } from '../support/stack/use-stack';

const root = findWorkspaceRoot(__dirname);
const python = '/usr/bin/python3';
const hasGrpcio = spawnSync(python, ['-c', 'import grpc, google.protobuf']).status === 0;
const stack = useSharedStack();
let gateway: TestGateway;
let folder: string;
let env: NodeJS.ProcessEnv;
const children: ChildProcess[] = [];

beforeAll(async () => {
  gateway = await startTestGateway(stack);
  folder = mkdtempSync(join(tmpdir(), 'daycare-examples-'));
  cpSync(join(root, 'examples'), folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules/@daycare'), { recursive: true });
  symlinkSync(join(root, 'dist/client'), join(folder, 'node_modules/@daycare/client'));
  const { id } = await stack.people.newPerson();
  const { token } = await stack.people.signInFor(id);
  env = { DAYCARE_URL: `http://${gateway.current.grpcAddress}`, DAYCARE_TOKEN: token };
}, 60_000);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await gateway.stop();
});

/** Runs an example; `output` grows while it does. */
function start(command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, { cwd: folder, env: { ...env, ...more } });
  children.push(child);
  const run = { output: '', exited: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (run.output += bytes.toString()));
  return run;
}

it('examples/quickstart asks an agent in TypeScript', async () => {
  const run = start(process.execPath, ['quickstart/quickstart.mjs', 'hello from node']);
  await run.exited;
  expect(run.output).toContain('hello from node');
}, 60_000);

const itWithGrpcio = hasGrpcio ? it : it.skip;
itWithGrpcio(
  'examples/quickstart asks an agent in Python (skipped where python3-grpcio is not installed)',
  async () => {
    const run = start(python, ['quickstart/quickstart.py', 'hello from python']);
    await run.exited;
    expect(run.output).toContain('hello from python');
  },
  60_000,
);

it('examples/connector passes messages of a chat to an agent and its answers back', async () => {
  const received: unknown[] = [];
  const chat = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      received.push(JSON.parse(body));
      response.end();
    });
  });
  chat.listen(0, '127.0.0.1');
  await once(chat, 'listening');
  const webhook = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`;
  const run = start(process.execPath, ['connector/connector.mjs'], {
    WEBHOOK_URL: webhook,
    PORT: '0',
  });
  const port = await eventually(() => /listening on (\d+)/.exec(run.output)?.[1]);
  const post = () =>
    fetch(`http://127.0.0.1:${port}/messages`, {
      method: 'POST',
      body: JSON.stringify({ chat: '42', id: 'm1', text: 'hello from a chat' }),
    });
  expect([(await post()).status, (await post()).status]).toEqual([202, 202]);
  await eventually(() => received.length === 2);
  const answer = { chat: '42', text: expect.stringContaining('hello from a chat') };
  expect(received).toEqual([answer, answer]);
  chat.close();
  chat.closeAllConnections();
}, 60_000);
