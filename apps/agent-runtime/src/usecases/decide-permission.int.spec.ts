import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { startPermissionStage, type PermissionStage } from '../test-support/permission-stage';
import { permissionTtlMs, resetItem, resetNow } from '../test-support/test-permissions';

let stage: PermissionStage;

beforeAll(async () => {
  stage = await startPermissionStage();
});
afterEach(() => {
  stage.permissions.clock.aheadMs = 0;
});
afterAll(() => stage.close());

describe('a decision', () => {
  it('to grant is kept with the agent, reaches its inbox and is told silently', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    const decided = await stage.decide(request);
    expect(decided).toMatchObject({
      id: request.id,
      state: 'granted',
      decidedAt: expect.any(Date),
    });
    await expect(stage.grantsOf(asker)).resolves.toEqual(['network']);
    await expect(stage.heardBy(asker)).resolves.toMatchObject([
      {
        kind: 'permission_decision',
        permissionRequestId: request.id,
        permission: 'network',
        granted: true,
        contextFrom: 1,
      },
    ]);
    const heard = await stage.heardBy(talker);
    expect(heard).toMatchObject([{ silent: true }, { silent: true, origin: 'system' }]);
    expect(heard[1]).toHaveProperty('text', expect.stringContaining('granted'));
  });

  it('to deny reaches the agent and grants nothing', async () => {
    const { asker } = await stage.cast();
    await expect(stage.decide(await stage.ask(asker), 'deny')).resolves.toMatchObject({
      state: 'denied',
    });
    await expect(stage.grantsOf(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(asker)).resolves.toMatchObject([{ granted: false }]);
  });

  it('counts when it is the first; later ones are answered with it and change nothing', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    await stage.decide(request, 'deny');
    await expect(stage.decide(request, 'grant')).resolves.toMatchObject({ state: 'denied' });
    await expect(stage.decide(request, 'deny')).resolves.toMatchObject({ state: 'denied' });
    await expect(stage.grantsOf(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(asker)).resolves.toHaveLength(1);
    await expect(stage.heardBy(talker)).resolves.toHaveLength(2);
  });

  it('is one when many decide at once: all hear the same, and the agent hears that', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { talker, asker } = await stage.cast();
      const request = await stage.ask(asker);
      const answers = await Promise.all(
        (['grant', 'deny', 'grant', 'deny'] as const).map((decision) =>
          stage.decide(request, decision),
        ),
      );
      const states = new Set(answers.map(({ state }) => state));
      expect(states.size).toBe(1);
      const granted = states.has('granted');
      await expect(stage.heardBy(asker)).resolves.toMatchObject([{ granted }]);
      await expect(stage.grantsOf(asker)).resolves.toEqual(granted ? ['network'] : []);
      await expect(stage.heardBy(talker)).resolves.toHaveLength(2);
    }
  });

  it('is told also to the agent that the user has turned to since', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    const other = await stage.runtime.newAgent(undefined, asker.userId);
    await stage.runtime.agents.touch([other.id], new Date(), true);
    await stage.decide(request);
    await expect(stage.heardBy(talker)).resolves.toHaveLength(2);
    await expect(stage.heardBy(other)).resolves.toMatchObject([{ silent: true }]);
  });

  it('about what is unknown or another user’s is refused in the same words', async () => {
    const { asker } = await stage.cast();
    const request = await stage.ask(asker);
    const foreign = stage.decide({ ...request, userId: createId() });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const unknown = stage.decide({ ...request, id: createId() });
    const messages = await Promise.all(
      [foreign, unknown].map((call) => call.catch((error: unknown) => (error as Error).message)),
    );
    expect(messages[0]).toBe(messages[1]);
    await expect(stage.heardBy(asker)).resolves.toEqual([]);
  });
});

describe('a request that nobody decided in time', () => {
  it('is expired for whoever decides then, and nobody hears anything', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    stage.permissions.clock.aheadMs = permissionTtlMs;
    const late = await stage.decide(request);
    expect(late.state).toBe('expired');
    expect(late.decidedAt).toBeUndefined();
    await stage.permissions.expire();
    await stage.permissions.finish();
    await expect(stage.decide(request)).resolves.toMatchObject({ state: 'expired' });
    await expect(stage.grantsOf(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(talker)).resolves.toHaveLength(1);
  });
});

describe('an agent that was reset after it had asked', () => {
  it.each(['grant', 'deny'] as const)('hears nothing of a decision to %s', async (decision) => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    await resetNow(stage.runtime, asker);
    await expect(stage.decide(request, decision)).resolves.toMatchObject({ state: 'expired' });
    await expect(stage.grantsOf(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(talker)).resolves.toHaveLength(1);
  });

  it('hears nothing either while the reset still waits in its inbox', async () => {
    const { asker } = await stage.cast();
    const request = await stage.ask(asker);
    await stage.runtime.putItems([{ agent: asker, item: resetItem(asker) }]);
    await expect(stage.decide(request)).resolves.toMatchObject({ state: 'expired' });
    await expect(stage.grantsOf(asker)).resolves.toEqual([]);
    await expect(stage.heardBy(asker)).resolves.toMatchObject([{ kind: 'reset' }]);
  });

  it('may ask again and hears that decision', async () => {
    const { asker } = await stage.cast();
    await resetNow(stage.runtime, asker);
    await expect(stage.decide(await stage.ask(asker))).resolves.toMatchObject({ state: 'granted' });
    await expect(stage.heardBy(asker)).resolves.toMatchObject([{ contextFrom: 2 }]);
  });

  it('keeps what it was allowed before', async () => {
    const { asker } = await stage.cast();
    await stage.decide(await stage.ask(asker));
    await resetNow(stage.runtime, asker);
    await expect(stage.grantsOf(asker)).resolves.toEqual(['network']);
  });
});
