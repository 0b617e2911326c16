import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { serviceNames, type ServiceName } from '@daycare/local-stack';
import { createRpcClient, type CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { AgentCast } from './support/agent-cast';
import { startAgentStack, type AgentStack } from './support/agent-stack';
import {
  answeredAlike,
  rpcAttempts,
  toolAttempts,
  type Attempt,
  type Things,
} from './support/isolation-attempts';
import { takeStock, type Stock } from './support/isolation-stock';
import { absentThings, makeWorld, type Attacker, type World } from './support/isolation-world';
import { contracts } from './support/rpcs';
import { wireAnswer } from './support/wire-answer';

type AnyCall = (request: object, options: CallOptions) => Promise<unknown> | AsyncIterable<unknown>;

let agents: AgentStack;
let cast: AgentCast;
let world: World;
let absent: Things;
let before: Stock;
let logsBefore: ReadonlyMap<string, string>;
const clients = new Map<ServiceName, Record<string, AnyCall> & { close(): void }>();

beforeAll(async () => {
  agents = await startAgentStack({
    services: serviceNames,
    envOf: {
      'agent-runtime': { DAYCARE_EXEC_ENABLED: 'on', DAYCARE_EXEC_UID: '65534' },
      topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' },
    },
  });
  cast = await AgentCast.open(agents);
  for (const name of serviceNames) {
    const address = agents.stack.addressOf(name);
    clients.set(name, createRpcClient(contracts[name], { address, timeoutMs: 20_000 }) as never);
  }
  world = await makeWorld(agents, cast);
  absent = absentThings();
  expect(Object.values(world.things)).not.toContain(undefined);
  await seeQuiet();
  before = await takeStock(agents.stack, world);
  logsBefore = await agents.stack.readLogs();
}, 120_000);
afterAll(async () => {
  for (const client of clients.values()) client.close();
  cast.close();
  await agents.stop();
});

/** Nothing of what was made is still under way. */
const seeQuiet = () =>
  eventually(
    async () => (await agents.db.collection('inbox').countDocuments({ waiting: true })) === 0,
    {
      timeoutMs: 20_000,
    },
  );

const rpcs = serviceNames.flatMap((service) =>
  Object.keys(contracts[service]).map((method) => ({ service, method })),
);

/** The names of what an attempt is made with, when it is made with anything of somebody else's. */
function usedBy(attempt: Attempt): (keyof Things)[] {
  const used: (keyof Things)[] = [];
  const spy = new Proxy(absent, {
    get(things, name) {
      used.push(name as keyof Things);
      return Reflect.get(things, name) as string;
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
  const whole = { ...(requestDeserialize(Buffer.alloc(0)) as object), ...request };
  const call = clients.get(service)![method]!;
  const answer = call(requestStream ? [whole] : whole, as);
  // What goes on for ever is left after its first word.
  return wireAnswer(responseStream ? firstOf(answer as AsyncIterable<unknown>) : answer);
}

async function firstOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const message of stream) return message;
  return undefined;
}

function callTool(name: string, args: object, { agentId, as }: Attacker): Promise<unknown> {
  const request = { requestId: createId(), agentId, name, argumentsJson: JSON.stringify(args) };
  return wireAnswer(cast.runtime.callTool(request, as));
}

/** An answer to the last byte, what whoever asks has put in itself taken out. */
function textOf(answer: unknown, used: readonly (keyof Things)[], things: Things): string {
  const text = JSON.stringify(answer, (key, value: unknown) =>
    key === 'bytes' && typeof value === 'string'
      ? Buffer.from(value, 'base64').toString('latin1')
      : readBytes(value),
  );
  return used.reduce((left, name) => left.replaceAll(things[name], `<${name}>`), text);
}

/** Bytes have become a list of numbers by the time they come here. */
function readBytes(value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: number[] };
  return type === 'Buffer' && data ? Buffer.from(data).toString('latin1') : value;
}

const isFailure = (answer: unknown): boolean =>
  typeof (answer as { code?: unknown } | undefined)?.code === 'number';

function leaksIn(text: string): string[] {
  const { things, secret } = world;
  const named = Object.entries(things).filter(([, value]) => text.includes(value));
  return [...named.map(([name]) => name), ...(text.includes(secret) ? ['secret'] : [])];
}

/** Foreign and absent are answered alike, and nothing that is not the attacker's is in any answer. */
async function expectNothingTold(
  name: string,
  attacker: Attacker,
  attempt: Attempt,
  call: (request: object) => Promise<unknown>,
): Promise<void> {
  const used = usedBy(attempt);
  const foreign = await call(attempt(world.things, attacker));
  const told = textOf(foreign, used, world.things);
  expect([attacker.title, leaksIn(told)]).toEqual([attacker.title, []]);
  if (used.length === 0) return;
  expect([attacker.title, isFailure(foreign) || answeredAlike.has(name)]).toEqual([
    attacker.title,
    true,
  ]);
  const nothing = await call(attempt(absent, attacker));
  expect([attacker.title, told]).toEqual([attacker.title, textOf(nothing, used, absent)]);
}

describe('with what belongs to somebody else', () => {
  it.each(rpcs)('$service $method tells nobody anything', async (rpc) => {
    const { service, method } = rpc;
    const attempts = rpcAttempts[service][method];
    if (!attempts) throw new Error('Say in support/isolation-attempts.ts how it is to be tried');
    for (const attempt of typeof attempts === 'function' ? [attempts] : attempts)
      for (const attacker of world.attackers)
        await expectNothingTold(method, attacker, attempt, (request) =>
          callRpc(rpc, request, attacker),
        );
  });

  it('every tool tells nobody anything', async () => {
    const names = await toolNames();
    // Where programs cannot be fenced in, the tool that runs them is not there.
    const known = Object.keys(toolAttempts).filter((name) => name !== 'exec' || names.has(name));
    expect([...names].sort()).toEqual(known.sort());
    for (const name of names)
      for (const attacker of world.attackers)
        await expectNothingTold(name, attacker, toolAttempts[name]!, (args) =>
          callTool(name, args, attacker),
        );
  }, 120_000);

  it('nothing has changed for whom it belongs to', async () => {
    expect(before.size).toBeGreaterThan(30);
    const after = await takeStock(agents.stack, world);
    const now = [...before.keys()].map((key) => [key, after.get(key)]);
    expect(Object.fromEntries(now)).toEqual(Object.fromEntries(before));
  });

  it('no log tells anything of it', async () => {
    const logs = [...(await agents.stack.readLogs())];
    const lines = logs.flatMap(([name, log]) =>
      log.slice(logsBefore.get(name)?.length ?? 0).split('\n'),
    );
    expect(lines.filter((line) => leaksIn(line).length > 0)).toEqual([]);
  });
});

/** All that any of the attackers' agents is told of. */
async function toolNames(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const { agentId, as } of world.attackers) {
    const { tools } = await cast.runtime.listTools({ agentId, pageSize: 0, pageToken: '' }, as);
    for (const { name } of tools) names.add(name);
  }
  return names;
}
