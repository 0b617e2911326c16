import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Cron, CreateCronRequest } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { AgentCast } from './support/agent-cast';
import { historyOf, startAgentStack, type AgentStack } from './support/agent-stack';
import { whenDrained } from './support/agent-storm';
import type { Person } from './support/people';
import { seededRandom } from './support/seeded-random';
import { whenShared } from './support/shard-holders';
import { wireAnswer } from './support/wire-answer';

const speed = 60;
const tickMs = 60_000;
const stormMs = 120_000;
const killEveryMs = 8_000;

let agents: AgentStack;

beforeAll(async () => {
  agents = await startAgentStack({ replicas: 3, env: { DAYCARE_SCHEDULE_SPEED: `${speed}` } });
  await whenShared(agents, [0, 1, 2]);
}, 60_000);
afterAll(async () => agents.stop());

function everyMinute(overrides: Partial<CreateCronRequest> = {}): CreateCronRequest {
  return {
    requestId: createId(),
    name: 'Tick',
    schedule: '* * * * *',
    prompt: 'It is time',
    timeZone: '',
    agentId: '',
    once: false,
    ...overrides,
  };
}

/** The ids of what an agent has recorded having heard of a cron, in order. */
async function heardOf({ id, agentId }: Cron, person: Person): Promise<string[]> {
  const records = await historyOf(agents.runtimes[0]!, person, agentId);
  return records.flatMap(({ record }) =>
    record?.$case === 'userMessage' && record.value.origin === `cron:${id}`
      ? record.value.messageIds
      : [],
  );
}

/** The id of the message that a tick is told with. */
function idOf({ id }: Cron, tick: Date): string {
  const parts = JSON.stringify(['cron', id, tick.toISOString()]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 40);
}

function ticksBetween(first: Date, last: Date): Date[] {
  const count = (last.getTime() - first.getTime()) / tickMs + 1;
  return Array.from({ length: count }, (_, index) => new Date(first.getTime() + index * tickMs));
}

/** Kills one replica after the other, chosen by chance, and starts each again before the next. */
async function killForAWhile(): Promise<number> {
  const random = seededRandom(7);
  const endMs = performance.now() + stormMs;
  let kills = 0;
  for (; performance.now() < endMs; kills += 1) {
    const victim = agents.replica(Math.floor(random() * 3));
    await Promise.all([delay(killEveryMs), victim.kill().then(() => victim.restart())]);
  }
  return kills;
}

describe('a cron', () => {
  it('fires every tick once and in order while replicas are killed and started again', async () => {
    const person = await agents.people.newPerson();
    const { cron } = await agents.runtimes[0]!.createCron(everyMinute(), person.as);
    expect(await killForAWhile()).toBeGreaterThan(10);
    const pause = { requestId: createId(), cronId: cron!.id, resume: false };
    const { cron: paused } = await agents.runtimes[1]!.pauseCron(pause, person.as);
    const isOpen = { firing: { $exists: true } };
    const isFinished = async (): Promise<boolean> =>
      (await agents.db.collection('crons').countDocuments(isOpen)) === 0;
    await eventually(isFinished, { timeoutMs: 20_000 });
    await whenDrained(agents, 30_000);
    const ticks = ticksBetween(cron!.nextFireAt!, paused!.lastFiredAt!);
    expect(ticks.length).toBeGreaterThan((0.8 * stormMs * speed) / tickMs);
    expect(await heardOf(cron!, person)).toEqual(ticks.map((tick) => idOf(cron!, tick)));
  }, 300_000);

  it('is made once for each request, and fires a single time when it is for once', async () => {
    const person = await agents.people.newPerson();
    const request = everyMinute({ once: true });
    const answers = await Promise.all(
      agents.runtimes.map((runtime) => runtime.createCron(request, person.as)),
    );
    const [{ cron } = {}] = answers;
    expect(new Set(answers.map((answer) => answer.cron?.id)).size).toBe(1);
    await eventually(async () => (await heardOf(cron!, person)).length > 0);
    const list = { pageSize: 0, pageToken: '' };
    const { crons } = await agents.runtimes[1]!.listCrons(list, person.as);
    expect(crons).toMatchObject([{ id: cron!.id, enabled: false, nextFireAt: undefined }]);
    expect(await heardOf(cron!, person)).toEqual([idOf(cron!, crons[0]!.lastFiredAt!)]);
  }, 60_000);

  it('of somebody else is not there, to the last byte', async () => {
    const [ada, eve] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const [runtime] = agents.runtimes;
    const cast = await AgentCast.open(agents);
    const desk = await cast.foreground(ada);
    cast.close();
    const { cron } = await runtime!.createCron(everyMinute({ schedule: '0 0 1 1 *' }), ada.as);
    const said = { requestId: createId(), title: 'Mail', prompt: 'Look after it' };
    const { heartbeat } = await runtime!.createHeartbeat(said, ada.as);
    const attempts: ((id: string) => Promise<unknown>)[] = [
      (cronId) => runtime!.pauseCron({ requestId: 'r1', cronId, resume: false }, eve.as),
      (cronId) => runtime!.deleteCron({ requestId: 'r1', cronId }, eve.as),
      (heartbeatId) => runtime!.deleteHeartbeat({ requestId: 'r1', heartbeatId }, eve.as),
      (agentId) => runtime!.createCron(everyMinute({ requestId: 'r1', agentId }), eve.as),
    ];
    const ids = [cron!.id, cron!.id, heartbeat!.id, desk.id];
    for (const [index, attempt] of attempts.entries()) {
      const unknown = await wireAnswer(attempt(createId()));
      expect(unknown).toMatchObject({ code: 5 });
      expect(await wireAnswer(attempt(ids[index]!))).toEqual(unknown);
    }
    const list = { pageSize: 0, pageToken: '' };
    expect((await runtime!.listCrons(list, eve.as)).crons).toEqual([]);
    expect((await runtime!.listCrons(list, ada.as)).crons).toMatchObject([{ enabled: true }]);
    expect((await runtime!.listHeartbeats(list, ada.as)).heartbeats).toHaveLength(1);
  }, 60_000);
});
