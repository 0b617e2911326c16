import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { provenanceOf } from '../../../messaging/domain/item-source';
import type { Cron } from '../../domain/schedule';
import { CronStore } from '../../store/cron-store';
import {
  cronCall,
  dyingAt,
  findDue,
  pollCron,
  startTestSchedules,
  type TestSchedules,
} from '../../../test-support/test-schedules';
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
/** A cron with the overlap policy `queue`, because no turn ends in these tests. */
const newCron = (overrides: object = {}): Promise<Cron> =>
  schedules.createCron(cronCall(createId(), { overlap: 'queue', ...overrides }));

const received = async ({ agentId }: Cron): Promise<string[]> =>
  (await schedules.receivedBy({ id: agentId })).map(({ messageId }) => messageId);
const stored = async ({ userId, id }: Cron): Promise<Cron> =>
  (await schedules.crons.find(userId, id)) as Cron;

describe('a cron tick', () => {
  it('a tick delivers the prompt to the cron’s agent once and sets the next tick', async () => {
    const cron = await newCron();
    expect(cron.nextFireAt).toEqual(tickAt('10:01'));
    expect(await findDue(schedules, cron)).toBeUndefined();
    moveTo('10:01:00');
    expect(await pollCron(schedules, cron)).toBe(false);
    expect(await findDue(schedules, cron)).toBeUndefined();
    expect(await schedules.receivedBy({ id: cron.agentId })).toMatchObject([
      { kind: 'system_message', origin: `cron:${cron.id}`, text: cron.prompt, silent: false },
    ]);
    expect(await stored(cron)).toMatchObject({
      lastFiredAt: tickAt('10:01'),
      nextFireAt: tickAt('10:02'),
    });
  });

  it('a cron created in a guest’s turn starts turns with a guest’s trust', async () => {
    const cron = await newCron({ trust: 'guest', readPrivate: true });
    const own = await newCron({ trust: 'own', readPrivate: true });
    moveTo('10:01:00');
    await pollCron(schedules, cron);
    await pollCron(schedules, own);
    const [item] = await schedules.receivedBy({ id: cron.agentId });
    expect(item).toMatchObject({ trust: 'guest', carriesPrivate: true });
    expect(provenanceOf(item!, undefined)).toMatchObject({ source: 'schedule', trust: 'guest' });
    const [ownItem] = await schedules.receivedBy({ id: own.agentId });
    expect(provenanceOf(ownItem!, undefined)).toMatchObject({ source: 'schedule', trust: 'own' });
  });

  it('a delivered tick is recorded with its kind, due time and delivery time', async () => {
    const cron = await newCron();
    const now = moveTo('10:01:20');
    const recorded: unknown[] = [];
    await pollCron(
      schedules,
      cron,
      schedules.replica({ recordTick: (...tick) => recorded.push(tick) }),
    );
    expect(recorded).toEqual([['cron', tickAt('10:01'), now]]);
  });

  it.each(
    (['claim', 'deliver', 'finish'] as const).flatMap((step) =>
      (['before', 'after'] as const).map((when) => ({ step, when })),
    ),
  )(
    'a tick is delivered once when the replica dies right $when the step "$step" and another replica continues',
    async ({ step, when }) => {
      const cron = await newCron();
      moveTo('10:01:00');
      expect(await pollCron(schedules, cron, dyingAt(schedules, step, when))).toBe(true);
      await pollCron(schedules, cron);
      expect(await received(cron)).toHaveLength(1);
      moveTo('10:02:00');
      await pollCron(schedules, cron);
      expect(await received(cron)).toHaveLength(2);
      expect(await findDue(schedules, cron)).toBeUndefined();
    },
  );

  it('a tick cannot be claimed while the previous one is in progress', async () => {
    const cron = await newCron();
    moveTo('10:01:00');
    await pollCron(schedules, cron, dyingAt(schedules, 'claim', 'after'));
    const step = { tick: tickAt('10:02'), next: tickAt('10:03') };
    const claim = (): Promise<boolean> => schedules.crons.ticks.claim(cron.id, step.tick, step);
    expect(await claim()).toBe(false);
    await pollCron(schedules, cron);
    expect(await claim()).toBe(true);
  });

  it('ticks are delivered once and in order when many replicas poll concurrently', async () => {
    const cron = await newCron();
    moveTo('10:01:55');
    for (let round = 0; round < 3; round += 1) {
      const found = (await findDue(schedules, cron))!;
      const replicas = Array.from({ length: 8 }, () => schedules.replica());
      await Promise.all(replicas.map(({ fireCron }) => fireCron(found, always)));
      moveTo(`10:0${round + 2}:55`);
    }
    const ticks = ['10:01', '10:02', '10:03'].map(tickAt);
    expect(await received(cron)).toEqual(ticks.map((tick) => cronMessageId(cron.id, tick)));
    expect((await stored(cron)).lastFiredAt).toEqual(tickAt('10:03'));
  });

  it('a replica that has lost the shard does not claim ticks', async () => {
    const cron = await newCron();
    moveTo('10:01:00');
    await schedules.replica().fireCron((await findDue(schedules, cron))!, () => false);
    expect(await received(cron)).toEqual([]);
    expect((await stored(cron)).nextFireAt).toEqual(tickAt('10:01'));
  });

  it('of the ticks missed for longer than the grace period, only the newest is delivered', async () => {
    const cron = await newCron({ schedule: '*/30 * * * *' });
    moveTo('15:30:10');
    await pollCron(schedules, cron);
    const ticks = ['15:00', '15:30'].map(tickAt);
    expect(await received(cron)).toEqual(ticks.map((tick) => cronMessageId(cron.id, tick)));
    expect((await stored(cron)).nextFireAt).toEqual(tickAt('16:00'));
  });

  it('after a stall of less than ten minutes, every missed tick is delivered', async () => {
    const cron = await newCron();
    moveTo('10:10:30');
    await pollCron(schedules, cron);
    expect(await received(cron)).toHaveLength(10);
    expect(await stored(cron)).toMatchObject({
      lastFiredAt: tickAt('10:10'),
      nextFireAt: tickAt('10:11'),
    });
  });

  it('a tick claimed more than a day ago is not delivered, because it may have been delivered already', async () => {
    const cron = await newCron({ schedule: '0 12 10 3 *' });
    moveTo('12:00:00');
    await pollCron(schedules, cron, dyingAt(schedules, 'deliver', 'after'));
    schedules.clock.now = new Date('2026-03-12T00:00:00Z');
    await schedules.runtime.mongo.db.collection('inbox').deleteMany({ leadId: cron.agentId });
    await pollCron(schedules, cron);
    expect(await received(cron)).toEqual([]);
    expect(await findDue(schedules, cron)).toBeUndefined();
  });
});

describe('a cron', () => {
  const change = ({ userId, id: cronId }: Cron) => ({ userId, cronId, requestId: createId() });

  it('a one-time cron fires once and cannot be resumed afterwards', async () => {
    const cron = await newCron({ once: true });
    moveTo('10:01:00');
    await pollCron(schedules, cron);
    moveTo('10:03:00');
    expect(await findDue(schedules, cron)).toBeUndefined();
    expect(await received(cron)).toHaveLength(1);
    await expect(schedules.pauseCron({ ...change(cron), resume: true })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });

  it.each(['10:02:01', '15:01:00'])(
    'a one-time cron due at 10:01 fires once, even if the next poll is only at %s',
    async (time) => {
      const cron = await newCron({ schedule: '1 10 * * *', once: true });
      moveTo(time);
      await pollCron(schedules, cron);
      expect(await received(cron)).toEqual([cronMessageId(cron.id, tickAt('10:01'))]);
      expect(await stored(cron)).toMatchObject({
        lastFiredAt: tickAt('10:01'),
        nextFireAt: undefined,
      });
    },
  );

  it('a one-time cron whose tick is more than a day late skips it and fires at the next time in its schedule', async () => {
    const [daily, yearly] = await Promise.all([
      newCron({ schedule: '1 10 * * *', once: true }),
      newCron({ schedule: '1 10 10 3 *', once: true }),
    ]);
    schedules.clock.now = new Date('2026-03-11T11:01:00Z');
    await Promise.all([pollCron(schedules, daily), pollCron(schedules, yearly)]);
    expect(await received(daily)).toHaveLength(1);
    expect((await stored(daily)).nextFireAt).toBeUndefined();
    expect(await received(yearly)).toEqual([]);
    expect((await stored(yearly)).nextFireAt).toEqual(new Date('2027-03-10T10:01:00Z'));
  });

  it('a one-time cron that fires while it is being resumed does not fire again', async () => {
    const cron = await newCron({ once: true });
    moveTo('10:01:00');
    const crons = new CronStore(schedules.runtime.mongo.db);
    const hasApplied: CronStore['hasApplied'] = async (call) => {
      await pollCron(schedules, cron);
      return schedules.crons.hasApplied(call);
    };
    Object.assign(crons, { hasApplied });
    const { pauseCron } = schedules.newUsecases({ crons });
    const resumed = pauseCron({ ...change(cron), resume: true });
    await expect(resumed).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    moveTo('10:05:00');
    expect(await findDue(schedules, cron)).toBeUndefined();
    expect(await received(cron)).toHaveLength(1);
  });

  it('a cron deleted before its tick is claimed delivers nothing', async () => {
    const cron = await newCron();
    moveTo('10:01:00');
    const found = (await findDue(schedules, cron))!;
    await schedules.deleteCron(change(cron));
    await schedules.replica().fireCron(found, always);
    expect(await received(cron)).toEqual([]);
  });

  it('a cron deleted while it is firing delivers nothing', async () => {
    const { id: agentId, userId } = await schedules.runtime.newAgent();
    const cron = await schedules.createCron(cronCall(userId, { agentId }));
    moveTo('10:01:00');
    await pollCron(schedules, cron, dyingAt(schedules, 'claim', 'after'));
    const claimed = (await findDue(schedules, cron))!;
    await schedules.deleteCron(change(cron));
    await schedules.replica().fireCron(claimed, always);
    await schedules.replica().fireCron(claimed, always);
    moveTo('10:05:00');
    expect(await findDue(schedules, cron)).toBeUndefined();
    expect(await received(cron)).toEqual([]);
  });

  it('ticks missed while a cron was paused do not fire later', async () => {
    const cron = await newCron();
    await schedules.pauseCron({ ...change(cron), resume: false });
    moveTo('10:05:00');
    expect(await findDue(schedules, cron)).toBeUndefined();
    const resumed = await schedules.pauseCron({ ...change(cron), resume: true });
    expect(resumed.nextFireAt).toEqual(tickAt('10:06'));
    expect(await findDue(schedules, cron)).toBeUndefined();
  });

  it('a cron whose agent is dead is paused, and the user’s most recent foreground agent is silently notified once', async () => {
    const foregroundAgent = await schedules.runtime.newAgent();
    const { id: parentAgentId, userId } = foregroundAgent;
    const descriptor = { kind: 'subagent', id: createId(), parentAgentId, name: '' } as const;
    const target = await schedules.runtime.newAgent(descriptor, userId);
    const cron = await schedules.createCron(cronCall(userId, { agentId: target.id }));
    const agents = schedules.runtime.mongo.db.collection<{ _id: string }>('agents');
    await agents.updateOne({ _id: target.id }, { $set: { diedAt: startAt } });
    moveTo('10:01:00');
    await pollCron(schedules, cron, dyingAt(schedules, 'finish', 'before'));
    await schedules.runtime.newAgent(undefined, userId);
    await pollCron(schedules, cron);
    expect(await schedules.receivedBy(foregroundAgent)).toMatchObject([
      { silent: true, origin: 'system', text: expect.stringContaining('"Tidy up"') },
    ]);
    const foregroundAgents = await schedules.runtime.agents.listForeground(userId);
    const all = await Promise.all(foregroundAgents.map((agent) => schedules.receivedBy(agent)));
    expect(all.flat()).toHaveLength(1);
    expect((await stored(cron)).nextFireAt).toBeUndefined();
    expect(await schedules.receivedBy(target)).toEqual([]);
  });

  it('the notice about a paused cron has the trust and the private label of the turn that created the cron', async () => {
    const foregroundAgent = await schedules.runtime.newAgent();
    const { userId } = foregroundAgent;
    const provenance = { trust: 'guest', readPrivate: true };
    const call = cronCall(userId, { ...provenance, agentId: foregroundAgent.id });
    const cron = await schedules.createCron(call);
    await schedules.runtime.newAgent(undefined, userId);
    const agents = schedules.runtime.mongo.db.collection<{ _id: string }>('agents');
    await agents.updateOne({ _id: foregroundAgent.id }, { $set: { diedAt: startAt } });
    moveTo('10:01:00');
    await pollCron(schedules, cron);
    const foregroundAgents = await schedules.runtime.agents.listForeground(userId);
    const all = await Promise.all(foregroundAgents.map((agent) => schedules.receivedBy(agent)));
    expect(all.flat()).toMatchObject([
      { origin: 'system', trust: 'guest', foreignWriter: 'several', carriesPrivate: true },
    ]);
  });
});
