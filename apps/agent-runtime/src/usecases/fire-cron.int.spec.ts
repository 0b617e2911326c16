import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Cron } from '../domain/schedule';
import { CronStore, type FiringCron } from '../store/cron-store';
import { cronCall, startTestSchedules, type TestSchedules } from '../test-support/test-schedules';
import { cronMessageId } from './fire-cron';

let schedules: TestSchedules;
const startAt = new Date('2026-03-10T10:00:30Z');

beforeAll(async () => {
  schedules = await startTestSchedules(startAt);
});
afterAll(() => schedules.close());
beforeEach(() => {
  schedules.clock.now = startAt;
});

const always = (): boolean => true;
const tickAt = (time: string): Date => new Date(`2026-03-10T${time}:00Z`);
const moveTo = (time: string): Date => (schedules.clock.now = new Date(`2026-03-10T${time}Z`));
const newCron = (overrides: object = {}): Promise<Cron> =>
  schedules.createCron(cronCall(createId(), overrides));

/** How a cron is found by somebody who looks now. */
async function find({ id }: Cron): Promise<FiringCron | undefined> {
  for await (const cron of schedules.crons.open([0], schedules.now()))
    if (cron.id === id) return cron;
  return undefined;
}

/** A replica looks once; whether it failed. */
async function look(cron: Cron, replica = schedules.replica()): Promise<boolean> {
  const found = await find(cron);
  if (!found) return false;
  return replica.fireCron(found, always).then(
    () => false,
    () => true,
  );
}

const heard = async ({ agentId }: Cron): Promise<string[]> =>
  (await schedules.heardBy({ id: agentId })).map(({ messageId }) => messageId);
const stored = async ({ userId, id }: Cron): Promise<Cron> =>
  (await schedules.crons.find(userId, id)) as Cron;

/** Dies where it is told to, before or after the step has taken place. */
function dyingAt(step: 'claim' | 'tell' | 'finish', when: 'before' | 'after') {
  const dying =
    <A extends unknown[], R>(here: boolean, act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (here && when === 'before') throw new Error('killed');
      const done = await act(...args);
      if (here) throw new Error('killed');
      return done;
    };
  const crons = new CronStore(schedules.runtime.mongo.db);
  const { ticks } = schedules.crons;
  Object.assign(crons, {
    ticks: {
      claim: dying(step === 'claim', ticks.claim.bind(ticks)),
      finish: dying(step === 'finish', ticks.finish.bind(ticks)),
      end: dying(step === 'finish', ticks.end.bind(ticks)),
    },
  });
  const { parts } = schedules;
  const tellAgent = dying(step === 'tell', parts.tellAgent);
  return schedules.replica({ stores: { ...parts.stores, crons }, tellAgent });
}

describe('a tick', () => {
  it('is heard once by the agent of the cron, with its prompt, and the next one is set', async () => {
    const cron = await newCron();
    expect(cron.nextFireAt).toEqual(tickAt('10:01'));
    expect(await find(cron)).toBeUndefined();
    moveTo('10:01:00');
    expect(await look(cron)).toBe(false);
    expect(await find(cron)).toBeUndefined();
    expect(await schedules.heardBy({ id: cron.agentId })).toMatchObject([
      { kind: 'system_message', origin: `cron:${cron.id}`, text: cron.prompt, silent: false },
    ]);
    expect(await stored(cron)).toMatchObject({
      lastFiredAt: tickAt('10:01'),
      nextFireAt: tickAt('10:02'),
    });
  });

  it('is shown with its kind and its time when it was told', async () => {
    const cron = await newCron();
    const now = moveTo('10:01:20');
    const shown: unknown[] = [];
    await look(cron, schedules.replica({ showTick: (...tick) => shown.push(tick) }));
    expect(shown).toEqual([['cron', tickAt('10:01'), now]]);
  });

  it.each(
    (['claim', 'tell', 'finish'] as const).flatMap((step) =>
      (['before', 'after'] as const).map((when) => ({ step, when })),
    ),
  )(
    'is heard once when the replica dies right $when the step "$step" and another one goes on',
    async ({ step, when }) => {
      const cron = await newCron();
      moveTo('10:01:00');
      expect(await look(cron, dyingAt(step, when))).toBe(true);
      await look(cron);
      expect(await heard(cron)).toHaveLength(1);
      moveTo('10:02:00');
      await look(cron);
      expect(await heard(cron)).toHaveLength(2);
      expect(await find(cron)).toBeUndefined();
    },
  );

  it('cannot be claimed while the one before it is under way', async () => {
    const cron = await newCron();
    moveTo('10:01:00');
    await look(cron, dyingAt('claim', 'after'));
    const step = { tick: tickAt('10:02'), next: tickAt('10:03') };
    const claim = (): Promise<boolean> => schedules.crons.ticks.claim(cron.id, step.tick, step);
    expect(await claim()).toBe(false);
    await look(cron);
    expect(await claim()).toBe(true);
  });

  it('is heard once when many replicas look at the same moment, and ticks keep their order', async () => {
    const cron = await newCron();
    moveTo('10:01:55');
    for (let round = 0; round < 3; round += 1) {
      const found = (await find(cron))!;
      const replicas = Array.from({ length: 8 }, () => schedules.replica());
      await Promise.all(replicas.map(({ fireCron }) => fireCron(found, always)));
      moveTo(`10:0${round + 2}:55`);
    }
    const ticks = ['10:01', '10:02', '10:03'].map(tickAt);
    expect(await heard(cron)).toEqual(ticks.map((tick) => cronMessageId(cron.id, tick)));
    expect((await stored(cron)).lastFiredAt).toEqual(tickAt('10:03'));
  });

  it('is not claimed by a replica that has lost the shard', async () => {
    const cron = await newCron();
    moveTo('10:01:00');
    await schedules.replica().fireCron((await find(cron))!, () => false);
    expect(await heard(cron)).toEqual([]);
    expect((await stored(cron)).nextFireAt).toEqual(tickAt('10:01'));
  });

  it('that was missed is heard once, and what is older is not', async () => {
    const cron = await newCron({ schedule: '*/30 * * * *' });
    moveTo('15:30:10');
    await look(cron);
    const ticks = ['15:00', '15:30'].map(tickAt);
    expect(await heard(cron)).toEqual(ticks.map((tick) => cronMessageId(cron.id, tick)));
    expect((await stored(cron)).nextFireAt).toEqual(tickAt('16:00'));
  });

  it('is heard although everything stood still for nine minutes, and so is each after it', async () => {
    const cron = await newCron();
    moveTo('10:10:30');
    await look(cron);
    expect(await heard(cron)).toHaveLength(10);
    expect(await stored(cron)).toMatchObject({
      lastFiredAt: tickAt('10:10'),
      nextFireAt: tickAt('10:11'),
    });
  });

  it('that was claimed more than a day ago is not told, for nobody knows whether it was', async () => {
    const cron = await newCron({ schedule: '0 12 10 3 *' });
    moveTo('12:00:00');
    await look(cron, dyingAt('tell', 'after'));
    schedules.clock.now = new Date('2026-03-12T00:00:00Z');
    await schedules.runtime.mongo.db.collection('inbox').deleteMany({ agentId: cron.agentId });
    await look(cron);
    expect(await heard(cron)).toEqual([]);
    expect(await find(cron)).toBeUndefined();
  });
});

describe('a cron', () => {
  const change = ({ userId, id: cronId }: Cron) => ({ userId, cronId, requestId: createId() });

  it('fires a single time when it is for once', async () => {
    const cron = await newCron({ once: true });
    moveTo('10:01:00');
    await look(cron);
    moveTo('10:03:00');
    expect(await find(cron)).toBeUndefined();
    expect(await heard(cron)).toHaveLength(1);
    await expect(schedules.pauseCron({ ...change(cron), resume: true })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });

  it.each(['10:02:01', '15:01:00'])(
    'fires a single time when it is for once and nobody looks before %s',
    async (time) => {
      const cron = await newCron({ schedule: '1 10 * * *', once: true });
      moveTo(time);
      await look(cron);
      expect(await heard(cron)).toEqual([cronMessageId(cron.id, tickAt('10:01'))]);
      expect(await stored(cron)).toMatchObject({
        lastFiredAt: tickAt('10:01'),
        nextFireAt: undefined,
      });
    },
  );

  it('for once that was missed by more than a day waits for its next time', async () => {
    const [daily, yearly] = await Promise.all([
      newCron({ schedule: '1 10 * * *', once: true }),
      newCron({ schedule: '1 10 10 3 *', once: true }),
    ]);
    schedules.clock.now = new Date('2026-03-11T11:01:00Z');
    await Promise.all([look(daily), look(yearly)]);
    expect(await heard(daily)).toHaveLength(1);
    expect((await stored(daily)).nextFireAt).toBeUndefined();
    expect(await heard(yearly)).toEqual([]);
    expect((await stored(yearly)).nextFireAt).toEqual(new Date('2027-03-10T10:01:00Z'));
  });

  it('for once that fires while it is being resumed does not fire again', async () => {
    const cron = await newCron({ once: true });
    moveTo('10:01:00');
    const crons = new CronStore(schedules.runtime.mongo.db);
    const hasApplied: CronStore['hasApplied'] = async (by) => {
      await look(cron);
      return schedules.crons.hasApplied(by);
    };
    Object.assign(crons, { hasApplied });
    const { pauseCron } = schedules.calls({ stores: { ...schedules.parts.stores, crons } });
    const resumed = pauseCron({ ...change(cron), resume: true });
    await expect(resumed).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    moveTo('10:05:00');
    expect(await find(cron)).toBeUndefined();
    expect(await heard(cron)).toHaveLength(1);
  });

  it('that was deleted before the claim is not heard', async () => {
    const cron = await newCron();
    moveTo('10:01:00');
    const found = (await find(cron))!;
    await schedules.deleteCron(change(cron));
    await schedules.replica().fireCron(found, always);
    expect(await heard(cron)).toEqual([]);
  });

  it('that is deleted while it fires is heard at most that once', async () => {
    const { id: agentId, userId } = await schedules.runtime.newAgent();
    const cron = await schedules.createCron(cronCall(userId, { agentId }));
    moveTo('10:01:00');
    await look(cron, dyingAt('claim', 'after'));
    const claimed = (await find(cron))!;
    await schedules.deleteCron(change(cron));
    await schedules.replica().fireCron(claimed, always);
    await schedules.replica().fireCron(claimed, always);
    moveTo('10:05:00');
    expect(await find(cron)).toBeUndefined();
    expect(await heard(cron)).toHaveLength(1);
  });

  it('does not make up for the time in which it was paused', async () => {
    const cron = await newCron();
    await schedules.pauseCron({ ...change(cron), resume: false });
    moveTo('10:05:00');
    expect(await find(cron)).toBeUndefined();
    const resumed = await schedules.pauseCron({ ...change(cron), resume: true });
    expect(resumed.nextFireAt).toEqual(tickAt('10:06'));
    expect(await find(cron)).toBeUndefined();
  });

  it('whose agent has died is paused, and the user’s most recent agent hears that silently once', async () => {
    const talker = await schedules.runtime.newAgent();
    const { userId } = talker;
    const descriptor = {
      kind: 'subagent',
      id: createId(),
      parentAgentId: talker.id,
      name: '',
    } as const;
    const target = await schedules.runtime.newAgent(descriptor, userId);
    const cron = await schedules.createCron(cronCall(userId, { agentId: target.id }));
    const agents = schedules.runtime.mongo.db.collection<{ _id: string }>('agents');
    await agents.updateOne({ _id: target.id }, { $set: { diedAt: startAt } });
    moveTo('10:01:00');
    await look(cron, dyingAt('finish', 'before'));
    await schedules.runtime.newAgent(undefined, userId);
    await look(cron);
    expect(await schedules.heardBy(talker)).toMatchObject([
      { silent: true, origin: 'system', text: expect.stringContaining('"Tidy up"') },
    ]);
    const told = await schedules.runtime.agents.listForeground(userId);
    const all = await Promise.all(told.map((agent) => schedules.heardBy(agent)));
    expect(all.flat()).toHaveLength(1);
    expect((await stored(cron)).nextFireAt).toBeUndefined();
    expect(await schedules.heardBy(target)).toEqual([]);
  });
});
