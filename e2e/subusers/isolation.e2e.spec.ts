import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { serviceNames, type ServiceName } from '@daycare/local-stack';
import { createRpcClient, type CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { useStack } from '../support/stack/use-stack';
import {
  rpcAttempts,
  toolAttempts,
  type Attempt,
  type Resources,
} from '../support/isolation/attempts';
import { callsAnsweredAlike } from '../support/isolation/calls-answered-alike';
import { takeSnapshot, type Snapshot } from '../support/isolation/snapshot';
import {
  absentResources,
  createWorld,
  type Attacker,
  type World,
} from '../support/isolation/world';
import { contracts } from '../support/isolation/rpcs';
import { wireAnswer } from '../support/wire/wire-answer';
import { waitingItems } from '../support/stack/inbox-filters';

const stack = useStack({
  envOf: {
    'agent-runtime': { DAYCARE_EXEC_ENABLED: 'on', DAYCARE_EXEC_UID: '65534' },
    topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' },
  },
});
const { runtime } = stack;

type AnyCall = (request: object, options: CallOptions) => Promise<unknown> | AsyncIterable<unknown>;

let world: World;
let absent: Resources;
let before: Snapshot;
let logsBefore: ReadonlyMap<string, string>;
const clients = new Map<ServiceName, Record<string, AnyCall> & { close(): void }>();

beforeAll(async () => {
  for (const name of serviceNames) {
    const address = stack.addressOf(name);
    clients.set(name, createRpcClient(contracts[name], { address, timeoutMs: 20_000 }) as never);
  }
  world = await createWorld(stack);
  absent = absentResources();
  expect(Object.values(world.resources)).not.toContain(undefined);
  await waitUntilQuiet();
  before = await takeSnapshot(stack, world);
  logsBefore = await stack.readLogs();
});
afterAll(async () => {
  for (const client of clients.values()) client.close();
});

/** Waits until no agent has anything left to handle. */
const waitUntilQuiet = () =>
  eventually(
    async () =>
      (await stack.db('agent-runtime').collection('inbox').countDocuments(waitingItems)) === 0,
    {
      timeoutMs: 20_000,
    },
  );

const rpcs = serviceNames.flatMap((service) =>
  Object.keys(contracts[service]).map((method) => ({ service, method })),
);

/** Returns the names of the victim's resources that an attempt uses. */
function usedBy(attempt: Attempt): (keyof Resources)[] {
  const used: (keyof Resources)[] = [];
  const spy = new Proxy(absent, {
    get(resources, name) {
      used.push(name as keyof Resources);
      return Reflect.get(resources, name) as string;
    },
  });
  attempt(spy, { friendNametag: '', agentId: '' });
  return used;
}

async function callRpc(
  { service, method }: (typeof rpcs)[number],
  request: object,
  { as }: Attacker,
): Promise<unknown> {
  const { requestDeserialize, requestStream, responseStream } = contracts[service][method]!;
  const fullRequest = { ...(requestDeserialize(Buffer.alloc(0)) as object), ...request };
  const call = clients.get(service)![method]!;
  const answer = call(requestStream ? [fullRequest] : fullRequest, as);
  // Endless streams are closed after their first message.
  return wireAnswer(responseStream ? firstOf(answer as AsyncIterable<unknown>) : answer);
}

async function firstOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const message of stream) return message;
  return undefined;
}

function callTool(name: string, args: object, { agentId, as }: Attacker): Promise<unknown> {
  const request = { requestId: createId(), agentId, name, argumentsJson: JSON.stringify(args) };
  return wireAnswer(runtime.callTool(request, as));
}

/** Returns a response as text, in which names replace the values that the attacker's own request contained. */
function textOf(answer: unknown, used: readonly (keyof Resources)[], resources: Resources): string {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === 'bytes' && typeof value === 'string'
      ? Buffer.from(value, 'base64').toString('latin1')
      : readBytes(value),
  );
  const masked = text.replace(/(permissionRequestId|expiresAt)(\W+)[\w.:-]+/g, '$1$2…');
  return used.reduce((current, name) => current.replaceAll(resources[name], `<${name}>`), masked);
}

/** Converts bytes, which `JSON.stringify` presents as a list of numbers, to a string. */
function readBytes(value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: number[] };
  return type === 'Buffer' && data ? Buffer.from(data).toString('latin1') : value;
}

const isFailure = (answer: unknown): boolean =>
  typeof (answer as { code?: unknown } | undefined)?.code === 'number';

function leaksIn(text: string): string[] {
  const { resources, secret } = world;
  const leaked = Object.entries(resources).filter(([, value]) => text.includes(value));
  return [...leaked.map(([name]) => name), ...(text.includes(secret) ? ['secret'] : [])];
}

/** Expects calls for foreign and for absent resources to get the same response, which contains no foreign data. */
async function expectNothingRevealed(
  name: string,
  attacker: Attacker,
  attempt: Attempt,
  call: (request: object) => Promise<unknown>,
): Promise<void> {
  const used = usedBy(attempt);
  const foreignAnswer = await call(attempt(world.resources, attacker));
  const answerText = textOf(foreignAnswer, used, world.resources);
  expect([attacker.title, leaksIn(answerText)]).toEqual([attacker.title, []]);
  if (used.length === 0) return;
  expect([attacker.title, name, isFailure(foreignAnswer) || callsAnsweredAlike.has(name)]).toEqual([
    attacker.title,
    name,
    true,
  ]);
  const absentAnswer = await call(attempt(absent, attacker));
  expect([attacker.title, answerText]).toEqual([
    attacker.title,
    textOf(absentAnswer, used, absent),
  ]);
}

describe('attempts to reach another user’s data', () => {
  it.each(rpcs)('$service $method reveals nothing to other users', async (rpc) => {
    const { service, method } = rpc;
    const attempts = rpcAttempts[service][method];
    if (!attempts)
      throw new Error('Add an attempt for this RPC to e2e/support/isolation/attempts.ts');
    for (const attempt of typeof attempts === 'function' ? [attempts] : attempts)
      for (const attacker of world.attackers)
        await expectNothingRevealed(method, attacker, attempt, (request) =>
          callRpc(rpc, request, attacker),
        );
  });

  it('tools reveal nothing to other users', async () => {
    const names = await toolNames();
    // Without a sandbox the exec tool is disabled.
    const covered = Object.keys(toolAttempts).filter((name) => name !== 'exec' || names.has(name));
    expect([...names].sort()).toEqual(covered.sort());
    for (const name of names)
      for (const attacker of world.attackers)
        await expectNothingRevealed(name, attacker, toolAttempts[name]!, (args) =>
          callTool(name, args, attacker),
        );
  });

  it('the attempts have not changed the user’s data', async () => {
    expect(before.size).toBeGreaterThan(30);
    const after = await takeSnapshot(stack, world);
    const current = [...before.keys()].map((key) => [key, after.get(key)]);
    expect(Object.fromEntries(current)).toEqual(Object.fromEntries(before));
  });

  it('no log contains the user’s data', async () => {
    const logs = [...(await stack.readLogs())];
    const lines = logs.flatMap(([name, log]) =>
      log.slice(logsBefore.get(name)?.length ?? 0).split('\n'),
    );
    expect(lines.filter((line) => leaksIn(line).length > 0)).toEqual([]);
  });
});

/** Returns the names of all tools that any attacker's agent has. */
async function toolNames(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const { agentId, as } of world.attackers) {
    const { tools } = await runtime.listTools({ agentId, pageSize: 0, pageToken: '' }, as);
    for (const { name } of tools) names.add(name);
  }
  return names;
}
