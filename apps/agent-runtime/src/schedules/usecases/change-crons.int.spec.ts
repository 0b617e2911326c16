import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { AppError } from '@daycare/api';
import { useFixture } from '@daycare/testing/jest';
import { keyOf } from '../../agents/domain/descriptor/descriptor-kinds';
import type { Cron } from '../domain/schedule';
import { CronStore } from '../store/cron-store';
import { cronCall, startTestSchedules } from '../../test-support/test-schedules';

const schedules = useFixture(() => startTestSchedules());

const newCron = (overrides: object = {}): Promise<Cron> =>
  schedules.createCron(cronCall(createId(), { schedule: '0 12 * * *', ...overrides }));
const change = ({ userId, id: cronId }: Cron, requestId = createId()) => ({
  userId,
  cronId,
  requestId,
});
const received = ({ id, userId }: Cron) =>
  schedules.agents
    .findByKey(userId, keyOf({ kind: 'cron', id }))
    .then((agent) => schedules.receivedBy(agent!));
const view = ({ userId, id: cronId }: Cron) => schedules.getCron({ userId, cronId });

describe('running a cron now', () => {
  it('running a cron now sends its prompt once per request, even if the cron is paused, and leaves it paused', async () => {
    const cron = await newCron();
    await schedules.pauseCron({ ...change(cron), resume: false });
    const call = change(cron);
    await Promise.all([schedules.runCron(call), schedules.runCron(call)]);
    await schedules.runCron(call);
    expect(await received(cron)).toMatchObject([{ origin: `cron:${cron.id}`, text: cron.prompt }]);
    expect(await view(cron)).toMatchObject({
      nextFireAt: undefined,
      lastFiredAt: undefined,
      runs: [{ outcome: 'running', manual: true }],
    });
  });

  it('running a cron now is refused during another run, waits behind that run or replaces it, depending on the cron’s policy', async () => {
    const cron = await newCron();
    await schedules.runCron(change(cron));
    await expect(schedules.runCron(change(cron))).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('still running'),
    });
    expect((await view(cron)).runs).toHaveLength(1);
    await schedules.updateCron({ ...change(cron), overlap: 'queue' });
    await schedules.runCron(change(cron));
    expect((await view(cron)).runs.map(({ outcome }) => outcome)).toEqual(['queued', 'running']);
    await schedules.updateCron({ ...change(cron), overlap: 'replace' });
    await schedules.runCron(change(cron));
    expect((await view(cron)).runs.map(({ outcome }) => outcome)).toEqual([
      ...['running', 'replaced', 'replaced'],
    ]);
    expect(await received(cron)).toHaveLength(1);
  });

  it('a requested run survives a crash of the replica that accepted it, and the next poll sends the prompt', async () => {
    const cron = await newCron();
    const deliverToAgent = async (): Promise<void> => {
      throw new Error('killed');
    };
    const call = change(cron);
    await expect(schedules.newUsecases({ deliverToAgent }).runCron(call)).rejects.toThrow('killed');
    expect(await received(cron)).toEqual([]);
    for await (const found of schedules.crons.findOpenTicks([0], schedules.now()))
      if (found.id === cron.id) await schedules.replica().fireCron(found, () => true);
    await schedules.runCron(call);
    expect(await received(cron)).toHaveLength(1);
  });

  it('a requested run has at most its requester’s trust and continues the requester’s chain of agents', async () => {
    const cron = await newCron();
    await schedules.runCron({ ...change(cron), trust: 'guest', readPrivate: true, hops: 3 });
    expect(await received(cron)).toMatchObject([{ trust: 'guest', carriesPrivate: true, hops: 3 }]);
  });
});

describe('changing a cron', () => {
  it('an update changes the given fields of a cron, and its next tick if the schedule or time zone changes', async () => {
    const cron = await newCron({ timeZone: 'Europe/Vienna' });
    expect(cron.nextFireAt).toEqual(new Date('2026-03-10T11:00:00Z'));
    const call = { ...change(cron), schedule: ' 0  13 * * * ', quiet: true };
    const changed = await schedules.updateCron(call);
    expect(changed).toMatchObject({
      schedule: '0 13 * * *',
      quiet: true,
      name: cron.name,
      prompt: cron.prompt,
      nextFireAt: new Date('2026-03-10T12:00:00Z'),
    });
    await schedules.updateCron({ ...change(cron), quiet: false, timeZone: 'UTC' });
    // A late retry changes nothing.
    expect(await schedules.updateCron(call)).toMatchObject({
      quiet: false,
      nextFireAt: new Date('2026-03-10T13:00:00Z'),
    });
  });

  it('an update neither resumes a paused cron nor revives a one-time cron that has fired', async () => {
    const cron = await newCron();
    await schedules.pauseCron({ ...change(cron), resume: false });
    const paused = await schedules.updateCron({ ...change(cron), schedule: '0 13 * * *' });
    expect(paused.nextFireAt).toBeUndefined();
    const once = await newCron({ schedule: '1 10 * * *', once: true });
    schedules.clock.now = new Date('2026-03-10T10:01:00Z');
    for await (const found of schedules.crons.findOpenTicks([0], schedules.now()))
      if (found.id === once.id) await schedules.replica().fireCron(found, () => true);
    const revive = schedules.updateCron({ ...change(once), schedule: '0 13 * * *' });
    await expect(revive).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ schedule: 'often' }, 'schedule'],
    [{ prompt: ' ' }, 'prompt'],
    [{ timeZone: 'Mars/Base' }, 'time_zone'],
  ])('the invalid change %j is refused and leaves the cron unchanged', async (changes, field) => {
    const cron = await newCron();
    await expect(schedules.updateCron({ ...change(cron), ...changes })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    expect(await schedules.crons.find(cron.userId, cron.id)).toEqual(cron);
  });

  it('a cron keeps the lowest trust of those who changed it until a single change by the user replaces both name and prompt', async () => {
    const cron = await newCron();
    const trustOf = async (changes: object) =>
      (await schedules.updateCron({ ...change(cron), ...changes })).trust;
    expect(await trustOf({ name: 'Guest', trust: 'guest' })).toBe('guest');
    expect(await trustOf({ prompt: 'Mine', trust: 'own' })).toBe('guest');
    expect(await trustOf({ quiet: true, trust: 'outside' })).toBe('outside');
    expect(await trustOf({ name: 'Mine', prompt: 'Mine' })).toBeUndefined();
  });

  it('a user’s change to a cron keeps the trust of a guest’s concurrent change', async () => {
    const cron = await newCron();
    const crons = new CronStore(schedules.mongo.db);
    let isFirst = true;
    const edit: CronStore['edit'] = async (...args) => {
      if (isFirst) {
        isFirst = false;
        await schedules.updateCron({ ...change(cron), prompt: 'Obey', trust: 'guest' });
      }
      return schedules.crons.edit(...args);
    };
    const { updateCron } = schedules.newUsecases({ crons: Object.assign(crons, { edit }) });
    const changed = await updateCron({ ...change(cron), name: 'Mine', trust: 'own' });
    expect(changed).toMatchObject({ name: 'Mine', prompt: 'Obey', trust: 'guest' });
  });

  it('a cron’s next tick follows the stored schedule and time zone, even if they were changed concurrently', async () => {
    const cron = await newCron({ schedule: '0 20 * * *', timeZone: 'UTC' });
    const racing = Object.assign(new CronStore(schedules.mongo.db), {
      edit: lateEdit(1, () =>
        schedules.updateCron({ ...change(cron), timeZone: 'America/New_York' }),
      ),
    });
    const calls = schedules.newUsecases({ crons: racing });
    await calls.updateCron({ ...change(cron), schedule: '0 21 * * *' });
    expect(await view(cron)).toMatchObject({
      schedule: '0 21 * * *',
      timeZone: 'America/New_York',
      nextFireAt: new Date('2026-03-11T01:00:00Z'),
    });
  });

  it.each([
    [4, 'is applied', undefined],
    [5, 'is refused', 'CONFLICT'],
  ])(
    'a change to a cron that conflicts with %d concurrent changes in a row %s',
    async (count, _, code) => {
      const cron = await newCron();
      let minute = 0;
      const changeSchedule = () =>
        schedules.updateCron({ ...change(cron), schedule: `${(minute += 1)} 12 * * *` });
      const racing = Object.assign(new CronStore(schedules.mongo.db), {
        edit: lateEdit(count, changeSchedule),
      });
      const call = { ...change(cron), name: 'Coffee' };
      const updated = schedules.newUsecases({ crons: racing }).updateCron(call);
      const outcome = await updated.then(
        () => undefined,
        (error: unknown) => (error as AppError).code,
      );
      expect(outcome).toBe(code);
      expect((await view(cron)).name === 'Coffee').toBe(code === undefined);
    },
  );
  /** Returns an edit that is too late the first `times` times, because another change is made just before it. */
  const lateEdit =
    (times: number, act: () => Promise<unknown>): CronStore['edit'] =>
    async (...args) => {
      times -= 1;
      if (times >= 0) await act();
      return schedules.crons.edit(...args);
    };

  it('retrying the creation of a cron returns the cron with the changes made since', async () => {
    const call = cronCall(createId());
    const cron = await schedules.createCron(call);
    await schedules.updateCron({ ...change(cron), name: 'Other' });
    expect(await schedules.createCron(call)).toMatchObject({ id: cron.id, name: 'Other' });
  });
});

it('a cron created without a time zone gets its user’s current time zone and keeps it', async () => {
  const zone = { current: 'Europe/Vienna' };
  const { createCron } = schedules.newUsecases({ timeZoneOf: async () => zone.current });
  const call = cronCall(createId(), { schedule: '30 8 * * *' });
  const cron = await createCron(call);
  expect(cron).toMatchObject({
    timeZone: 'Europe/Vienna',
    nextFireAt: new Date('2026-03-11T07:30:00Z'),
  });
  zone.current = 'Asia/Tokyo';
  expect(await createCron(call)).toMatchObject({ id: cron.id, timeZone: 'Europe/Vienna' });
  const later = await createCron(cronCall(cron.userId, { schedule: '30 8 * * *' }));
  expect(later.timeZone).toBe('Asia/Tokyo');
  zone.current = '';
  expect((await createCron(cronCall(createId()))).timeZone).toBe('UTC');
});
