import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import { useStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';

const stack = useStack();
const { people, agents, runtime, topology } = stack;

let ada: Person;
let [boss, dev, qa]: Actor[] = [];
beforeEach(async () => {
  ada = await people.newPerson();
  [boss, dev, qa] = await Promise.all(
    ['one', 'two', 'three'].map((channelId) => agents.foreground(ada, channelId)),
  );
});

interface ToolResult {
  readonly signals: readonly { readonly type: string }[];
  readonly messages: readonly object[];
  readonly text: string;
}

/** Has an agent call a tool; resolves with the result. */
async function use(agent: Actor | undefined, name: string, args: object): Promise<ToolResult> {
  return (await agents.callTool(agent!, name, args)) as unknown as ToolResult;
}

/** Returns the signals and channel messages that an agent has received, in order. */
async function receivedBy(agent: Actor | undefined): Promise<string[]> {
  const records = await historyOf(runtime, agent!, agent!.id);
  return records
    .map(summaryOf)
    .filter((text) => /^(signal|channel):/.test(text))
    .map((text) => text.replace(/^signal:\w+/, 'signal'));
}

async function whenReceived(agent: Actor | undefined, last: string): Promise<string[]> {
  return eventually(async () => {
    const received = await receivedBy(agent);
    return received.at(-1)?.includes(last) ? received : undefined;
  });
}

describe('signals', () => {
  it('signals reach, in order, the user’s other agents that subscribe to a matching pattern, but not the emitter', async () => {
    await use(boss, 'signal_subscribe', { pattern: 'build:*' });
    await use(dev, 'signal_subscribe', { pattern: 'build:*', silent: false });
    await use(qa, 'signal_subscribe', { pattern: '*:done' });
    const stranger = await agents.foreground(await people.newPerson());
    await use(stranger, 'signal_subscribe', { pattern: '*:*', silent: false });
    await use(boss, 'emit_signal', { type: 'build:done', data: { ok: true } });
    await use(boss, 'emit_signal', { type: 'build:done:late' });
    await use(boss, 'emit_signal', { type: 'build:failed' });
    await use(boss, 'emit_signal', { type: 'deploy:done' });
    const from = `from agent ${boss!.id}`;
    expect(await whenReceived(dev, 'build:failed')).toEqual([
      `signal: Signal build:done ${from}\nData: {"ok":true}`,
      `signal: Signal build:failed ${from}`,
    ]);
    expect(await whenReceived(qa, 'deploy:done')).toEqual([
      `signal (silent): Signal build:done ${from}\nData: {"ok":true}`,
      `signal (silent): Signal deploy:done ${from}`,
    ]);
    await use(dev, 'emit_signal', { type: 'build:seen' });
    expect(await whenReceived(boss, 'build:seen')).toHaveLength(1);
    expect(await receivedBy(stranger)).toEqual([]);
    expect(await use(stranger, 'signal_events', {})).toEqual({ signals: [] });
    const { signals } = await use(qa, 'signal_events', { pattern: 'build:*' });
    expect(signals.map(({ type }) => type)).toEqual(['build:seen', 'build:failed', 'build:done']);
  });

  it('delayed signals survive a crash of topology, can be replaced, and skip agents that unsubscribed', async () => {
    const topologyProcess = stack.service('topology');
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
    expect(await whenReceived(dev, '"second"')).toHaveLength(1);
    expect((await use(dev, 'signal_events', {})).signals).toMatchObject([
      { data: 'second', state: 'emitted' },
    ]);
    await use(qa, 'signal_subscribe', { pattern: 'after:*', silent: false });
    await use(boss, 'emit_signal', { type: 'after:all' });
    expect(await whenReceived(qa, 'after:all')).toHaveLength(1);
  });
});

describe('a channel', () => {
  it('a channel’s leader receives every message of the other members, who receive only messages that mention them', async () => {
    await use(boss, 'channel_create', { name: 'ops' });
    await use(dev, 'channel_join', { channel: 'ops', username: 'dev' });
    await use(qa, 'channel_join', { channel: 'ops', username: 'qa' });
    await use(dev, 'channel_send', { channel: 'ops', message: 'the build is green' });
    await use(dev, 'channel_send', { channel: 'ops', message: 'over to you, @qa.' });
    await use(boss, 'channel_send', { channel: 'ops', message: '@dev thanks' });
    expect(await whenReceived(boss, 'over to you')).toEqual([
      'channel:ops: @dev: the build is green',
      'channel:ops: @dev: over to you, @qa.',
    ]);
    expect(await whenReceived(qa, 'over to you')).toHaveLength(1);
    expect(await whenReceived(dev, 'thanks')).toEqual(['channel:ops: @leader: @dev thanks']);
    const { messages } = await use(qa, 'channel_history', { channel: 'ops', limit: 2 });
    expect(messages).toMatchObject([
      { senderUsername: 'leader', text: '@dev thanks', mentions: ['dev'] },
      { senderUsername: 'dev', mentions: ['qa'] },
    ]);
    await use(boss, 'channel_leave', { channel: 'ops' });
    await use(qa, 'channel_send', { channel: 'ops', message: 'who leads?' });
    await whenReceived(dev, 'who leads?');
  });

  it('a channel is closed to agents that are not members, and hidden from other users', async () => {
    await use(boss, 'channel_create', { name: 'ops' });
    const send = { channel: 'ops', message: 'hello' };
    await expect(use(dev, 'channel_send', send)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const stranger = await agents.foreground(await people.newPerson());
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

  it('a user can create a channel only with one of their own agents as its leader', async () => {
    const stranger = await agents.foreground(await people.newPerson());
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

it('in the topology, the owner’s agents see a subuser’s subscriptions without their patterns, and the subuser’s agents see only their own', async () => {
  await use(boss, 'channel_create', { name: 'ops', username: 'boss' });
  await use(dev, 'channel_join', { channel: 'ops', username: 'dev' });
  await use(dev, 'signal_subscribe', { pattern: 'build:*' });
  const subuser = await people.newSubuser(ada);
  const gateway = await agents.gateway(subuser);
  await use(gateway, 'signal_subscribe', { pattern: 'inner:*', silent: false });
  const { text } = await use(dev, 'topology', {});
  expect(text).toContain(
    [
      '## Signal Subscriptions (2)',
      `agent=${dev!.id} pattern=build:* silent=true (You)`,
      `agent=${gateway.id} pattern=(hidden: not chosen by your user) silent=false`,
      '## Channels (1)',
      `#ops leader=${boss!.id} members=@boss(${boss!.id}), @dev(${dev!.id})`,
    ].join('\n'),
  );
  const inner = await use(gateway, 'topology', {});
  expect(inner.text).toContain(
    `## Signal Subscriptions (1)\nagent=${gateway.id} pattern=inner:* silent=false (You)\n## Channels (0)\nNone`,
  );
});
