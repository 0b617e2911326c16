import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../../agents/domain/agent';
import { testContext } from '../../../test-support/test-agent';
import { startTestSchedules, type TestSchedules } from '../../../test-support/test-schedules';
import { cronTools } from './cron-tools';
import { heartbeatTools } from './heartbeat-tools';
import { testRegistry } from '../../../test-support/test-tool';
import type { ToolRegistry } from '../../registry/tool-registry';

let schedules: TestSchedules;
let tools: ToolRegistry;
let agent: Agent;

beforeAll(async () => {
  schedules = await startTestSchedules();
  agent = await schedules.runtime.newAgent();
  const guards = { maxHops: 3, maxSubagents: 1, maxDepth: 1 };
  tools = testRegistry([...cronTools({ schedules, guards }), ...heartbeatTools({ schedules })]);
});
afterAll(() => schedules.close());

async function call(name: string, args: object = {}, caller = agent, requestId = createId()) {
  const context = testContext(caller, { requestId });
  return JSON.parse((await tools.call(name, JSON.stringify(args), context)).resultJson);
}

const digest = { name: 'Digest', schedule: '30 8 * * MON-FRI', prompt: 'Sum up the news' };

it('an agent adds, lists, pauses, resumes and removes its user’s crons', async () => {
  const args = { ...digest, timezone: 'Europe/Vienna', agentId: agent.id };
  const requestId = createId();
  const added = await call('cron_add', args, agent, requestId);
  expect(added).toMatchObject({ agentId: agent.id, nextFireAt: '2026-03-11T07:30:00.000Z' });
  expect(added.summary).toBe(
    `Added cron ${added.cronId}; it fires next at 2026-03-11T07:30:00.000Z`,
  );
  expect(await call('cron_add', args, agent, requestId)).toEqual(added);
  const { cronId } = added;
  expect(await call('cron_list')).toEqual({
    summary:
      `${cronId} name="Digest" schedule="30 8 * * MON-FRI" timezone=Europe/Vienna ` +
      `agent=${agent.id} next=2026-03-11T07:30:00.000Z last=never`,
    count: 1,
  });
  expect(await call('cron_pause', { cronId })).toEqual({
    summary: `Cron ${cronId} is paused`,
    cronId,
    enabled: false,
  });
  expect((await call('cron_list')).summary).toContain(' paused ');
  const resumed = await call('cron_pause', { cronId, resume: true });
  expect(resumed).toEqual({
    summary: `Cron ${cronId} fires next at ${added.nextFireAt}`,
    cronId,
    enabled: true,
    nextFireAt: added.nextFireAt,
  });
  await call('cron_remove', { cronId });
  expect(await call('cron_list')).toEqual({ summary: 'There are no crons', count: 0 });
});

it('an agent adds, lists and removes its user’s heartbeats', async () => {
  const args = { title: 'Mail', prompt: 'Look after the mail' };
  const { heartbeatId, summary } = await call('heartbeat_add', args);
  expect(summary).toBe(`Added heartbeat ${heartbeatId}`);
  expect(await call('heartbeat_list')).toEqual({
    summary: `${heartbeatId} title="Mail" last=never`,
    count: 1,
  });
  await call('heartbeat_remove', { heartbeatId });
  expect(await call('heartbeat_list')).toEqual({ summary: 'There are no heartbeats', count: 0 });
});

it('cron_list and heartbeat_list label their results with the trust of the schedules’ least trusted author', async () => {
  const caller = await schedules.runtime.newAgent();
  const rules = { cron_add: { guest: 'run' }, heartbeat_add: { guest: 'run' } } as const;
  const friend = { source: 'friend', origin: 'friend:otter7', senderUserId: 'bob' } as const;
  const turn = { trust: 'guest', startedBy: { ...friend, byPerson: false } } as const;
  const provenanceOf = async (list: string) =>
    (await tools.call(list, '{}', testContext(caller))).provenance;
  for (const [list, add, args] of [
    ['cron_list', 'cron_add', digest],
    ['heartbeat_list', 'heartbeat_add', { title: 'Mail', prompt: 'Look' }],
  ] as const) {
    await call(add, args, caller);
    expect(await provenanceOf(list)).toBeUndefined();
    const context = testContext(
      { ...caller, toolPolicy: { rules } },
      { requestId: createId(), ...turn },
    );
    await tools.call(add, JSON.stringify(args), context);
    expect(await provenanceOf(list)).toBe('guest');
  }
});

it('an agent can neither see nor change another user’s schedules', async () => {
  const { cronId } = await call('cron_add', digest);
  const { heartbeatId } = await call('heartbeat_add', { title: 'Mail', prompt: 'Look' });
  const stranger = await schedules.runtime.newAgent();
  for (const [name, args] of [
    ['cron_pause', { cronId }],
    ['cron_remove', { cronId }],
    ['heartbeat_remove', { heartbeatId }],
    ['cron_add', { ...digest, agentId: agent.id }],
  ] as const)
    await expect(call(name, args, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await call('cron_list', {}, stranger)).toMatchObject({ count: 0 });
});

it('cron_list truncates a long list to what fits into a tool result, and says how many crons are missing', async () => {
  const caller = await schedules.runtime.newAgent();
  const name = 'n'.repeat(100);
  for (let count = 0; count < 50; count += 1)
    await call('cron_add', { ...digest, name: `${count}${name}`.slice(0, 100) }, caller);
  const { summary, count } = await call('cron_list', {}, caller);
  expect(count).toBe(50);
  expect(summary).toMatch(/… and \d+ more$/);
});
