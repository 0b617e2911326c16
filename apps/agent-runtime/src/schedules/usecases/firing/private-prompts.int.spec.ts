import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { isPrivateItem } from '../../../messaging/domain/item-source';
import { cronCall, startTestSchedules } from '../../../test-support/test-schedules';
import type { Cron } from '../../domain/schedule';

const schedules = useFixture(() => startTestSchedules());

const newCron = (overrides: object): Promise<Cron> =>
  schedules.createCron(cronCall(createId(), overrides));
const stored = ({ userId, id }: Cron) => schedules.crons.find(userId, id);

async function fire({ id }: Cron): Promise<void> {
  for await (const cron of schedules.crons.findOpenTicks([0], schedules.now()))
    if (cron.id === id) await schedules.replica().fireCron(cron, () => true);
}

it('a cron’s prompt is private if a turn that had read something private wrote it, until name and prompt are replaced', async () => {
  const [read, unread] = [
    await newCron({ trust: 'own', readPrivate: true }),
    await newCron({ trust: 'own', readPrivate: false }),
  ];
  const edited = await newCron({ trust: 'own', readPrivate: false });
  const call = { userId: edited.userId, cronId: edited.id, trust: 'own' } as const;
  const edit = (more: object) => schedules.updateCron({ ...call, requestId: createId(), ...more });
  await edit({ quiet: true, readPrivate: true });
  expect(await stored(edited)).not.toHaveProperty('carriesPrivate');
  await edit({ prompt: 'The code is 1234', readPrivate: true });
  await edit({ name: 'Code', readPrivate: false });
  schedules.clock.now = new Date(schedules.clock.now.getTime() + 60_000);
  const owner = createId();
  for (const [cron, isPrivate] of [
    [read, true],
    [unread, false],
    [edited, true],
  ] as const) {
    await fire(cron);
    const [item] = await schedules.receivedBy({ id: cron.agentId });
    expect(isPrivateItem(item!, owner)).toBe(isPrivate);
  }
  await edit({ name: 'Tea', prompt: 'Make tea', readPrivate: false });
  expect(await stored(edited)).not.toHaveProperty('carriesPrivate');
});
