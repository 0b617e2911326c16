import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { OverlapPolicy, type Cron, type CreateCronRequest } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { historyOf } from '../support/people/history';
import { soloAgentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';
import { whenDrained } from '../support/load/message-storm';
import type { Person } from '../support/people/people';
import { seededRandom } from '../support/load/seeded-random';
import { whenShardsShared } from '../support/chaos/shard-holders';
import { wireAnswer } from '../support/wire/wire-answer';

const speed = 120;
const stack = useStack({
  services: soloAgentServices,
  replicas: { 'agent-runtime': 3 },
  env: { DAYCARE_SCHEDULE_SPEED: `${speed}` },
});
const { people, agents, runtime } = stack;

const tickMs = 60_000;
const kills = 15;
const killEveryMs = 4_000;

beforeAll(async () => {
  await whenShardsShared(stack, [0, 1, 2]);
});

function everyMinute(overrides: Partial<CreateCronRequest> = {}): CreateCronRequest {
  return {
    requestId: createId(),
    name: 'Tick',
    schedule: '* * * * *',
    prompt: 'It is time',
    timeZone: '',
    agentId: '',
    once: false,
    overlap: OverlapPolicy.QUEUE,
    quiet: false,
    ...overrides,
  };
}

/** Returns the ids of the messages that an agent has received from a cron, in order. */
async function receivedIds({ id, agentId }: Cron, person: Person): Promise<string[]> {
  const records = await historyOf(runtime, person, agentId);
  return records.flatMap(({ record }) =>
    record?.$case === 'userMessage' && record.value.origin === `cron:${id}`
      ? record.value.messageIds
      : [],
  );
}

/** Returns the id of the message that a tick sends. */
function messageIdOf({ id }: Cron, tick: Date): string {
  const parts = JSON.stringify(['cron', id, tick.toISOString()]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 40);
}

function ticksBetween(first: Date, last: Date): Date[] {
  const count = (last.getTime() - first.getTime()) / tickMs + 1;
  return Array.from({ length: count }, (_, index) => new Date(first.getTime() + index * tickMs));
}

/** Kills random replicas, restarting each before killing the next; resolves with the elapsed milliseconds. */
async function killForAWhile(): Promise<number> {
  const random = seededRandom(7);
  const startMs = performance.now();
  for (let count = 0; count < kills; count += 1) {
    const victim = stack.service('agent-runtime', Math.floor(random() * 3));
    await Promise.all([delay(killEveryMs), victim.kill().then(() => victim.restart())]);
  }
  return performance.now() - startMs;
}

describe('a cron', () => {
  it('a cron fires once per tick, in order, while replicas are killed and restarted', async () => {
    const person = await people.newPerson();
    const { cron } = await runtime.createCron(everyMinute(), person.as);
    const stormMs = await killForAWhile();
    const pause = { requestId: createId(), cronId: cron!.id, resume: false };
    const { cron: paused } = await stack.runtimes[1]!.pauseCron(pause, person.as);
    const whileFiring = { firing: { $exists: true } };
    const isFinished = async (): Promise<boolean> =>
      (await stack.db('agent-runtime').collection('crons').countDocuments(whileFiring)) === 0;
    await eventually(isFinished);
    await whenDrained(stack, 30_000);
    const ticks = ticksBetween(cron!.nextFireAt!, paused!.lastFiredAt!);
    // The cron must not have stopped firing; how fast it fires depends on the machine.
    expect(ticks.length).toBeGreaterThan((0.5 * stormMs * speed) / tickMs);
    expect(await receivedIds(cron!, person)).toEqual(ticks.map((tick) => messageIdOf(cron!, tick)));
  }, 300_000);

  it('a cron is created only once per request id, and a one-time cron fires only once', async () => {
    const person = await people.newPerson();
    const request = everyMinute({ once: true });
    const answers = await Promise.all(
      stack.runtimes.map((runtime) => runtime.createCron(request, person.as)),
    );
    const [{ cron } = {}] = answers;
    expect(new Set(answers.map((answer) => answer.cron?.id)).size).toBe(1);
    await eventually(async () => (await receivedIds(cron!, person)).length > 0);
    const list = { pageSize: 0, pageToken: '' };
    const { crons } = await stack.runtimes[1]!.listCrons(list, person.as);
    expect(crons).toMatchObject([{ id: cron!.id, enabled: false, nextFireAt: undefined }]);
    expect(await receivedIds(cron!, person)).toEqual([messageIdOf(cron!, crons[0]!.lastFiredAt!)]);
  });

  it('calls for another user’s cron or heartbeat get the same NOT_FOUND, byte for byte, as calls for an unknown one', async () => {
    const [ada, eve] = await people.newPair();
    const desk = await agents.foreground(ada);
    const { cron } = await runtime.createCron(everyMinute({ schedule: '0 0 1 1 *' }), ada.as);
    const task = { requestId: createId(), title: 'Mail', prompt: 'Look after it', quiet: false };
    const { heartbeat } = await runtime.createHeartbeat(task, ada.as);
    const attempts: ((id: string) => Promise<unknown>)[] = [
      (cronId) => runtime.pauseCron({ requestId: 'r1', cronId, resume: false }, eve.as),
      (cronId) => runtime.deleteCron({ requestId: 'r1', cronId }, eve.as),
      (cronId) => runtime.getCron({ cronId }, eve.as),
      (cronId) => runtime.runCron({ requestId: 'r1', cronId }, eve.as),
      (cronId) => runtime.updateCron({ requestId: 'r1', cronId, quiet: true }, eve.as),
      (heartbeatId) => runtime.deleteHeartbeat({ requestId: 'r1', heartbeatId }, eve.as),
      (agentId) => runtime.createCron(everyMinute({ requestId: 'r1', agentId }), eve.as),
    ];
    const ids = [...Array.from({ length: 5 }, () => cron!.id), heartbeat!.id, desk.id];
    for (const [index, attempt] of attempts.entries()) {
      const unknown = await wireAnswer(attempt(createId()));
      expect(unknown).toMatchObject({ code: 5 });
      expect(await wireAnswer(attempt(ids[index]!))).toEqual(unknown);
    }
    const list = { pageSize: 0, pageToken: '' };
    expect((await runtime.listCrons(list, eve.as)).crons).toEqual([]);
    expect((await runtime.listCrons(list, ada.as)).crons).toMatchObject([{ enabled: true }]);
    expect((await runtime.listHeartbeats(list, ada.as)).heartbeats).toHaveLength(1);
  });
});
