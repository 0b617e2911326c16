import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { serviceNames } from '@daycare/local-stack';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import { eventually, startTestStack } from '@daycare/testing';
import { AgentCast, type Actor } from './support/agent-cast';
import {
  agentEnv,
  historyOf,
  openAgentStack,
  summaryOf,
  type AgentStack,
} from './support/agent-stack';
import type { Person } from './support/people';

let agents: AgentStack;
let cast: AgentCast;
let topology: RpcClient<typeof TopologyServiceService>;

beforeAll(async () => {
  const stack = await startTestStack({ services: serviceNames, env: agentEnv });
  agents = await openAgentStack(stack, 1, 10_000);
  cast = await AgentCast.open(agents);
  const address = stack.addressOf('topology');
  topology = createRpcClient(TopologyServiceService, { address, timeoutMs: 10_000 });
}, 60_000);
afterAll(async () => {
  topology.close();
  cast.close();
  await agents.stop();
});

let ada: Person;
let [boss, dev, qa]: Actor[] = [];
beforeEach(async () => {
  ada = await agents.people.newPerson();
  [boss, dev, qa] = await Promise.all(
    ['one', 'two', 'three'].map((on) => cast.foreground(ada, on)),
  );
});

/** Has an agent use a tool; what the tool answers. */
async function use(agent: Actor | undefined, name: string, args: object) {
  const request = { requestId: createId(), agentId: agent!.id, name };
  const call = { ...request, argumentsJson: JSON.stringify(args) };
  const { resultJson } = await cast.runtime.callTool(call, agent!.as);
  return JSON.parse(resultJson);
}

/** What an agent has heard of signals and channels, in order. */
async function heardBy(agent: Actor | undefined): Promise<string[]> {
  const records = await historyOf(cast.runtime, agent!, agent!.id);
  const said = records.map(summaryOf);
  return said
    .filter((text) => /^(signal|channel):/.test(text))
    .map((text) => text.replace(/^signal:\w+/, 'signal'));
}

async function whenHeard(agent: Actor | undefined, last: string): Promise<string[]> {
  return eventually(
    async () => {
      const heard = await heardBy(agent);
      return heard.at(-1)?.includes(last) ? heard : undefined;
    },
    { timeoutMs: 20_000 },
  );
}

describe('signals', () => {
  it('reach the user’s other agents whose pattern fits, in order, and not who emitted them', async () => {
    await use(boss, 'signal_subscribe', { pattern: 'build:*' });
    await use(dev, 'signal_subscribe', { pattern: 'build:*', silent: false });
    await use(qa, 'signal_subscribe', { pattern: '*:done' });
    const stranger = await cast.foreground(await agents.people.newPerson());
    await use(stranger, 'signal_subscribe', { pattern: '*:*', silent: false });
    await use(boss, 'emit_signal', { type: 'build:done', data: { ok: true } });
    await use(boss, 'emit_signal', { type: 'build:done:late' });
    await use(boss, 'emit_signal', { type: 'build:failed' });
    await use(boss, 'emit_signal', { type: 'deploy:done' });
    const from = `from agent ${boss!.id}`;
    expect(await whenHeard(dev, 'build:failed')).toEqual([
      `signal: Signal build:done ${from}\nData: {"ok":true}`,
      `signal: Signal build:failed ${from}`,
    ]);
    expect(await whenHeard(qa, 'deploy:done')).toEqual([
      `signal (silent): Signal build:done ${from}\nData: {"ok":true}`,
      `signal (silent): Signal deploy:done ${from}`,
    ]);
    await use(dev, 'emit_signal', { type: 'build:seen' });
    expect(await whenHeard(boss, 'build:seen')).toHaveLength(1);
    expect(await heardBy(stranger)).toEqual([]);
    expect(await use(stranger, 'signal_events', {})).toEqual({ signals: [] });
    const { signals } = await use(qa, 'signal_events', { pattern: 'build:*' });
    expect(signals.map(({ type }: { type: string }) => type)).toEqual([
      'build:seen',
      'build:failed',
      'build:done',
    ]);
  });

  it('that wait survive the death of topology, can be replaced, and miss who unsubscribed', async () => {
    const topologyProcess = agents.stack.service('topology');
    await use(dev, 'signal_subscribe', { pattern: 'check:*', silent: false });
    await use(qa, 'signal_subscribe', { pattern: 'check:*', silent: false });
    const mail = { type: 'check:mail', repeatKey: 'mail' };
    await use(boss, 'emit_signal', { ...mail, data: 'first', delayMs: 600_000 });
    await topologyProcess.kill();
    await topologyProcess.restart();
    await use(qa, 'signal_unsubscribe', { pattern: 'check:*' });
    await use(boss, 'emit_signal', { ...mail, data: 'second', delayMs: 2_000 });
    await topologyProcess.kill();
    await topologyProcess.restart();
    expect(await whenHeard(dev, '"second"')).toHaveLength(1);
    expect((await use(dev, 'signal_events', {})).signals).toMatchObject([
      { data: 'second', state: 'emitted' },
    ]);
    await use(qa, 'signal_subscribe', { pattern: 'after:*', silent: false });
    await use(boss, 'emit_signal', { type: 'after:all' });
    expect(await whenHeard(qa, 'after:all')).toHaveLength(1);
  }, 60_000);
});

describe('a channel', () => {
  it('lets the leader hear everything and the members what mentions them', async () => {
    await use(boss, 'channel_create', { name: 'ops' });
    await use(dev, 'channel_join', { channel: 'ops', username: 'dev' });
    await use(qa, 'channel_join', { channel: 'ops', username: 'qa' });
    await use(dev, 'channel_send', { channel: 'ops', message: 'the build is green' });
    await use(dev, 'channel_send', { channel: 'ops', message: 'over to you, @qa.' });
    await use(boss, 'channel_send', { channel: 'ops', message: '@dev thanks' });
    expect(await whenHeard(boss, 'over to you')).toEqual([
      'channel:ops: @dev: the build is green',
      'channel:ops: @dev: over to you, @qa.',
    ]);
    expect(await whenHeard(qa, 'over to you')).toHaveLength(1);
    expect(await whenHeard(dev, 'thanks')).toEqual(['channel:ops: @leader: @dev thanks']);
    const { messages } = await use(qa, 'channel_history', { channel: 'ops', limit: 2 });
    expect(messages).toMatchObject([
      { senderUsername: 'leader', text: '@dev thanks', mentions: ['dev'] },
      { senderUsername: 'dev', mentions: ['qa'] },
    ]);
    await use(boss, 'channel_leave', { channel: 'ops' });
    await use(qa, 'channel_send', { channel: 'ops', message: 'who leads?' });
    await whenHeard(dev, 'who leads?');
  });

  it('is closed to agents that are no members, and absent for other users', async () => {
    await use(boss, 'channel_create', { name: 'ops' });
    const send = { channel: 'ops', message: 'hello' };
    await expect(use(dev, 'channel_send', send)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const stranger = await cast.foreground(await agents.people.newPerson());
    for (const [name, args] of [
      ['channel_send', send],
      ['channel_join', { channel: 'ops', username: 'spy' }],
      ['channel_history', { channel: 'ops' }],
      ['channel_leave', { channel: 'ops' }],
    ] as const) {
      await expect(use(stranger, name, args)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'Channel not found',
      });
    }
  });

  it('takes living agents of the same user only', async () => {
    const stranger = await cast.foreground(await agents.people.newPerson());
    const request = { name: 'ops', leaderUsername: '' };
    const create = (leaderAgentId: string) =>
      topology.createChannel({ ...request, requestId: createId(), leaderAgentId }, ada.as);
    const refusals = await Promise.all(
      [stranger.id, createId()].map((id) => create(id).catch((error: unknown) => error)),
    );
    expect(refusals[0]).toMatchObject({ code: 'NOT_FOUND', message: 'Agent not found' });
    expect(refusals[1]).toEqual(refusals[0]);
    await expect(create(boss!.id)).resolves.toMatchObject({
      channel: { leaderAgentId: boss!.id },
    });
  });
});

it('the topology shows how agents are wired to their own user and no other', async () => {
  await use(boss, 'channel_create', { name: 'ops', username: 'boss' });
  await use(dev, 'channel_join', { channel: 'ops', username: 'dev' });
  await use(dev, 'signal_subscribe', { pattern: 'build:*' });
  const subuser = await agents.people.newSubuser(ada);
  const gateway = await cast.gateway(subuser);
  await use(gateway, 'signal_subscribe', { pattern: 'inner:*', silent: false });
  const { text } = await use(dev, 'topology', {});
  expect(text).toContain(
    [
      '## Signal Subscriptions (2)',
      `agent=${dev!.id} pattern=build:* silent=true (You)`,
      `agent=${gateway.id} pattern=inner:* silent=false`,
      '## Channels (1)',
      `#ops leader=${boss!.id} members=@boss(${boss!.id}), @dev(${dev!.id})`,
    ].join('\n'),
  );
  const inner = await use(gateway, 'topology', {});
  expect(inner.text).toContain(
    `## Signal Subscriptions (1)\nagent=${gateway.id} pattern=inner:* silent=false (You)\n## Channels (0)\nNone`,
  );
});
