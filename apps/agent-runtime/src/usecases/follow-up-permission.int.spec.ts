import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { startPermissionStage, type PermissionStage } from '../test-support/permission-stage';
import { resetNow } from '../test-support/test-permissions';

let stage: PermissionStage;

beforeAll(async () => {
  stage = await startPermissionStage();
});
afterEach(() => {
  stage.permissions.clock.aheadMs = 0;
});
afterAll(() => stage.close());

describe('a process that died', () => {
  const decision = { state: 'granted', decisionTo: [] } as const;

  it('after it had kept a request is made up for by a sweep', async () => {
    const { talker, asker } = await stage.cast();
    const address = { agentId: talker.id, userId: talker.userId };
    const asked = await stage.ask(asker);
    const request = await stage.permissions.permissions.create({
      ...asked,
      id: createId(),
      presentedTo: address,
    });
    stage.permissions.clock.aheadMs = 4_000;
    await stage.permissions.finish();
    await expect(stage.heardBy(talker)).resolves.toHaveLength(1);
    stage.permissions.clock.aheadMs = 6_000;
    await stage.permissions.finish();
    await expect(stage.heardBy(talker)).resolves.toHaveLength(2);
    await expect(stage.owed(request)).resolves.toBeUndefined();
  });

  it('right after it had decided is made up for by the same decision', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    const decisionTo = [{ agentId: talker.id, userId: talker.userId }];
    await stage.permissions.permissions.decide(request, { ...decision, decisionTo }, new Date());
    await expect(stage.heardBy(asker)).resolves.toEqual([]);
    await expect(stage.decide(request)).resolves.toMatchObject({ state: 'granted' });
    await expect(stage.heardBy(asker)).resolves.toHaveLength(1);
    await expect(stage.grantsOf(asker)).resolves.toEqual(['network']);
    await expect(stage.heardBy(talker)).resolves.toHaveLength(2);
    await expect(stage.owed(request)).resolves.toBeUndefined();
  });

  it('anywhere among the steps that follow is made up for by sweeps, and nothing happens twice', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    const decisionTo = [{ agentId: talker.id, userId: talker.userId }];
    const decided = (await stage.permissions.permissions.decide(
      request,
      { ...decision, decisionTo },
      new Date(),
    ))!;
    await stage.runtime.agents.grant(asker, 'network');
    stage.permissions.clock.aheadMs = 6_000;
    await Promise.all([
      stage.permissions.finish(),
      stage.permissions.finish(),
      stage.permissions.followUp(decided),
    ]);
    await stage.permissions.followUp(decided);
    await expect(stage.grantsOf(asker)).resolves.toEqual(['network']);
    await expect(stage.heardBy(asker)).resolves.toHaveLength(1);
    await expect(stage.heardBy(talker)).resolves.toHaveLength(2);
  });

  it('and an agent that was reset before the sweep came hears nothing', async () => {
    const { asker } = await stage.cast();
    const request = await stage.ask(asker);
    await stage.permissions.permissions.decide(request, decision, new Date());
    await resetNow(stage.runtime, asker);
    stage.permissions.clock.aheadMs = 6_000;
    await stage.permissions.finish();
    await expect(stage.heardBy(asker)).resolves.toEqual([]);
    await expect(stage.grantsOf(asker)).resolves.toEqual([]);
    await expect(stage.owed(request)).resolves.toBeUndefined();
  });
});
