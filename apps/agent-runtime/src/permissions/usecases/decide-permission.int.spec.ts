import { afterEach, describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { startPermissionStage } from '../../test-support/permission-stage';
import { permissionTtlMs, resetItem, resetNow } from '../../test-support/test-permissions';

const stage = useFixture(startPermissionStage);
afterEach(() => {
  stage.permissions.clock.aheadMs = 0;
});

describe('deciding a permission', () => {
  it('granting a request stores a grant, puts the decision in the agent’s inbox and silently notifies the foreground agent', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    const decided = await stage.decide(request);
    expect(decided).toMatchObject({
      id: request.id,
      state: 'granted',
      decidedAt: expect.any(Date),
    });
    await expect(stage.grantsOf(requester)).resolves.toEqual(['network']);
    await expect(stage.receivedBy(requester)).resolves.toMatchObject([
      {
        kind: 'permission_decision',
        permissionRequestId: request.id,
        permission: 'network',
        granted: true,
        contextFrom: 1,
      },
    ]);
    const received = await stage.receivedBy(foregroundAgent);
    expect(received).toMatchObject([{ silent: true }, { silent: true, origin: 'system' }]);
    expect(received[1]).toHaveProperty('text', expect.stringContaining('granted'));
  });

  it('a denial reaches the agent and grants nothing', async () => {
    const { requester } = await stage.newAgents();
    await expect(stage.decide(await stage.ask(requester), 'deny')).resolves.toMatchObject({
      state: 'denied',
    });
    await expect(stage.grantsOf(requester)).resolves.toEqual([]);
    await expect(stage.receivedBy(requester)).resolves.toMatchObject([{ granted: false }]);
  });

  it('only the first decision on a request takes effect; later ones return its outcome and change nothing', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    await stage.decide(request, 'deny');
    await expect(stage.decide(request, 'grant')).resolves.toMatchObject({ state: 'denied' });
    await expect(stage.decide(request, 'deny')).resolves.toMatchObject({ state: 'denied' });
    await expect(stage.grantsOf(requester)).resolves.toEqual([]);
    await expect(stage.receivedBy(requester)).resolves.toHaveLength(1);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(2);
  });

  it('one of many concurrent decisions wins, and all callers and the agent receive its outcome', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { foregroundAgent, requester } = await stage.newAgents();
      const request = await stage.ask(requester);
      const decided = await Promise.all(
        (['grant', 'deny', 'grant', 'deny'] as const).map((decision) =>
          stage.decide(request, decision),
        ),
      );
      const states = new Set(decided.map(({ state }) => state));
      expect(states.size).toBe(1);
      const granted = states.has('granted');
      await expect(stage.receivedBy(requester)).resolves.toMatchObject([{ granted }]);
      await expect(stage.grantsOf(requester)).resolves.toEqual(granted ? ['network'] : []);
      await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(2);
    }
  });

  it('a decision also notifies the agent that the user is talking with when deciding', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    const current = await stage.runtime.newAgent(undefined, requester.userId);
    await stage.runtime.agents.touch([current.id], new Date(), true);
    await stage.decide(request);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(2);
    await expect(stage.receivedBy(current)).resolves.toMatchObject([{ silent: true }]);
  });

  it('unknown requests and other users’ requests are refused in the same words', async () => {
    const { requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    const foreign = stage.decide({ ...request, userId: createId() });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const unknown = stage.decide({ ...request, id: createId() });
    const messages = await Promise.all(
      [foreign, unknown].map((call) => call.catch((error: unknown) => (error as Error).message)),
    );
    expect(messages[0]).toBe(messages[1]);
    await expect(stage.receivedBy(requester)).resolves.toEqual([]);
  });
});

describe('a permission request that expired', () => {
  it('a decision after the deadline returns the request as expired and notifies no one', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    stage.permissions.clock.aheadMs = permissionTtlMs;
    const late = await stage.decide(request);
    expect(late.state).toBe('expired');
    expect(late.decidedAt).toBeUndefined();
    await stage.permissions.expire();
    await stage.permissions.finish();
    await expect(stage.decide(request)).resolves.toMatchObject({ state: 'expired' });
    await expect(stage.grantsOf(requester)).resolves.toEqual([]);
    await expect(stage.receivedBy(requester)).resolves.toEqual([]);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(1);
  });
});

describe('decisions after a reset', () => {
  it.each(['grant', 'deny'] as const)(
    'an agent that was reset after asking does not receive a decision to %s',
    async (decision) => {
      const { foregroundAgent, requester } = await stage.newAgents();
      const request = await stage.ask(requester);
      await resetNow(stage.runtime, requester);
      await expect(stage.decide(request, decision)).resolves.toMatchObject({ state: 'expired' });
      await expect(stage.grantsOf(requester)).resolves.toEqual([]);
      await expect(stage.receivedBy(requester)).resolves.toEqual([]);
      await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(1);
    },
  );

  it('an agent with a reset waiting in its inbox does not receive the decision', async () => {
    const { requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    await stage.runtime.putItems([{ agent: requester, item: resetItem(requester) }]);
    await expect(stage.decide(request)).resolves.toMatchObject({ state: 'expired' });
    await expect(stage.grantsOf(requester)).resolves.toEqual([]);
    await expect(stage.receivedBy(requester)).resolves.toMatchObject([{ kind: 'reset' }]);
  });

  it('a reset agent can ask again and receives the decision on the new request', async () => {
    const { requester } = await stage.newAgents();
    await resetNow(stage.runtime, requester);
    await expect(stage.decide(await stage.ask(requester))).resolves.toMatchObject({
      state: 'granted',
    });
    await expect(stage.receivedBy(requester)).resolves.toMatchObject([{ contextFrom: 2 }]);
  });

  it('a reset agent keeps the permissions that were granted before the reset', async () => {
    const { requester } = await stage.newAgents();
    await stage.decide(await stage.ask(requester));
    await resetNow(stage.runtime, requester);
    await expect(stage.grantsOf(requester)).resolves.toEqual(['network']);
  });
});
