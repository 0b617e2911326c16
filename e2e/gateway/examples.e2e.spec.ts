import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findWorkspaceRoot } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { compile, installClient } from '../support/gateway/install-client';
import { useSharedStack } from '../support/stack/use-stack';

const root = findWorkspaceRoot(__dirname);
const python = '/usr/bin/python3';
const hasGrpcio = spawnSync(python, ['-c', 'import grpc, google.protobuf']).status === 0;
const stack = useSharedStack();
let folder: string;
let env: NodeJS.ProcessEnv;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daycare-examples-'));
  cpSync(join(root, 'examples'), folder, { recursive: true });
  installClient(folder);
  const { id } = await stack.people.newPerson();
  const { token } = await stack.people.signInWithToken(id);
  env = { DAYCARE_URL: `http://${stack.addressOf('gateway')}`, DAYCARE_TOKEN: token };
}, 180_000);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs an example; `output` grows while it runs. */
function start(command: string, args: readonly string[], extraEnv: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, { cwd: folder, env: { ...env, ...extraEnv } });
  children.push(child);
  const run = { output: '', exited: once(child, 'close') };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (run.output += bytes.toString()));
  return run;
}

it('the JavaScript example in examples/quickstart asks an agent and prints the answer', async () => {
  const run = start(process.execPath, ['quickstart/quickstart.mjs', 'hello from node']);
  await run.exited;
  expect(run.output).toContain('hello from node');
}, 60_000);

const body = `
const daycare = connect({ url: process.env.DAYCARE_URL, token: process.env.DAYCARE_TOKEN });
const main = async () => {
  const answer = await daycare.agent().ask('hello from ' + process.argv[2]);
  const failed = await daycare.files.download('nothing').catch((error) => error);
  console.log(answer.text, isDaycareError(failed, 'NOT_FOUND'));
  daycare.close();
};
void main();`;
const esmProgram = (from: string) => `import { connect, isDaycareError } from '${from}';${body}`;

it.each([
  ['ESM', 'esm.mjs', esmProgram('@daycare/client')],
  ['ESM for browsers', 'web.mjs', esmProgram('@daycare/client/browser')],
  ['CJS', 'cjs.cjs', `const { connect, isDaycareError } = require('@daycare/client');${body}`],
])(
  'the installed client, loaded as %s, asks an agent and gets an answer',
  async (kind, file, program) => {
    writeFileSync(join(folder, file), program);
    const run = start(process.execPath, [file, kind]);
    await run.exited;
    expect(run.output).toMatch(new RegExp(`hello from ${kind}.* true\\n$`, 's'));
  },
);

it('the installed client has types for its calls, events and errors', async () => {
  const program = `import { connect, isDaycareError } from '@daycare/client';
const { DAYCARE_URL: url = '', DAYCARE_TOKEN: token = '' } = process.env;
const daycare = connect({ url, token: async () => token });
for await (const friend of daycare.friends.list()) friend.nametag.toUpperCase();
const { agentId, sequence } = await daycare.agent({ channelId: 'work' }).ask('hello');
for await (const event of daycare.agent({ channelId: 'work' }).watch())
  if (event.$case === 'record' && event.value.sequence.valueOf() === sequence) break;
const page = { pageSize: 10, pageToken: '', subuserId: '', kinds: [], includeDead: false };
const { agents } = await daycare.rpc.agentRuntime.listAgents(page);
// @ts-expect-error -- a number is not an id
const failed: unknown = await daycare.files.download(5).catch((error: unknown) => error);
const fields = isDaycareError(failed) ? failed.fields.length : -1;
console.log(agents.some(({ id }) => id === agentId), fields);
daycare.close();
`;
  writeFileSync(join(folder, 'program.mts'), program);
  expect(compile(folder, 'program.mts')).toBe('');
  const run = start(process.execPath, ['program.mjs']);
  await run.exited;
  expect(run.output).toMatch(/^true -?\d+\n$/);
});

const itWithGrpcio = hasGrpcio ? it : it.skip;
itWithGrpcio(
  'the Python example in examples/quickstart asks an agent and prints the answer (needs python3-grpcio)',
  async () => {
    const run = start(python, ['quickstart/quickstart.py', 'hello from python']);
    await run.exited;
    expect(run.output).toContain('hello from python');
  },
  60_000,
);

it('examples/connector passes a chat message to an agent and posts the answer, and posts it again if the message is repeated', async () => {
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
