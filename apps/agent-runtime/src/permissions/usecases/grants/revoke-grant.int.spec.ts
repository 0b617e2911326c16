import { afterEach, describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../../agents/domain/agent';
import { approvalsOn, withContent } from '../../../test-support/approval-calls';
import { startPermissionStage } from '../../../test-support/permission-stage';
import type { RequestApprovalCall } from '../request-approval';

const stage = useFixture(startPermissionStage);
afterEach(() => {
  stage.permissions.clock.aheadMs = 0;
});

const { requestApproval, waitingId, pendingOf, grantsOf, decide, revoke } = approvalsOn(stage);

describe('grants for tools', () => {
  const allow = async (agent: Agent, more?: Partial<RequestApprovalCall>, until?: Date) => {
    await decide(agent, await waitingId(agent, more), 'always', until);
  };

  it('an "always" grant for a tool covers the agent’s later calls to it in turns of the same guest and of the user, but not in less trusted turns, nor in turns that have read something private or others’ words', async () => {
    const { requester, foregroundAgent } = await stage.newAgents();
    await allow(requester);
    await expect(requestApproval(requester, withContent('other'))).resolves.toEqual({
      kind: 'granted',
    });
    await expect(requestApproval(requester, { trust: 'own' })).resolves.toEqual({
      kind: 'granted',
    });
    await expect(requestApproval(foregroundAgent)).resolves.toMatchObject({ kind: 'waiting' });
    const uncovered = [
      { toolName: 'exec' },
      { trust: 'outside' },
      { readPrivate: true },
      { foreignWriter: 'somebody else' },
      { hasReadForeign: true },
    ] as const;
    for (const call of uncovered)
      await expect(requestApproval(requester, call)).resolves.toMatchObject({ kind: 'waiting' });
  });

  it('an "always" grant for a tool covers turns that have read something private if the asking turn had done so', async () => {
    const { requester } = await stage.newAgents();
    await allow(requester, { readPrivate: true });
    await expect(requestApproval(requester, { readPrivate: true })).resolves.toEqual({
      kind: 'granted',
    });
  });

  it('an "always" grant from a shared conversation still covers turns there after another guest has written', async () => {
    const { requester } = await stage.newAgents();
    await allow(requester, { isShared: true, foreignWriter: 'bob' });
    const other = { isShared: true, foreignWriter: 'several' } as const;
    await expect(requestApproval(requester, other)).resolves.toEqual({ kind: 'granted' });
    const refused = [{ ...other, hasReadForeign: true }, { foreignWriter: 'several' }] as const;
    for (const turn of refused)
      await expect(requestApproval(requester, turn)).resolves.toMatchObject({ kind: 'waiting' });
  });

  it('an "always" grant for a tool covers no calls after it expires', async () => {
    const { requester } = await stage.newAgents();
    await allow(requester, {}, new Date(Date.now() + 60_000));
    expect(await grantsOf(requester)).toMatchObject([{ expiresAt: expect.any(Date) }]);
    stage.permissions.clock.aheadMs = 61_000;
    expect(await grantsOf(requester)).toEqual([]);
    await expect(requestApproval(requester)).resolves.toMatchObject({ kind: 'waiting' });
  });

  it('a decision with an expiry is refused if it creates no grant, or if the expiry is in the past', async () => {
    const { requester } = await stage.newAgents();
    const id = await waitingId(requester);
    const soon = new Date(Date.now() + 60_000);
    const refusal = { code: 'INVALID_ARGUMENT' };
    await expect(decide(requester, id, 'grant', soon)).rejects.toMatchObject(refusal);
    await expect(decide(requester, id, 'deny', soon)).rejects.toMatchObject(refusal);
    await expect(decide(requester, id, 'always', new Date(0))).rejects.toMatchObject(refusal);
    expect(await pendingOf(requester)).toHaveLength(1);
  });

  it('revoking one of an agent’s grants for a tool revokes all of them, so that the tool needs approval again', async () => {
    const { requester } = await stage.newAgents();
    const ids = [
      await waitingId(requester, withContent('a')),
      await waitingId(requester, withContent('b')),
    ];
    for (const id of ids) await decide(requester, id, 'always');
    const [newest] = await grantsOf(requester);
    await revoke(requester, newest!.id);
    expect(await grantsOf(requester)).toEqual([]);
    await expect(requestApproval(requester)).resolves.toMatchObject({ kind: 'waiting' });
  });

  it('a revoked grant stays revoked when the decision is carried out again', async () => {
    const { requester } = await stage.newAgents();
    const request = (await stage.permissions.permissions.find(
      requester.userId,
      await waitingId(requester),
      new Date(),
    ))!;
    const decided = (await stage.permissions.permissions.decide(
      request,
      { state: 'granted', decision: 'always', grantUntil: undefined, decisionTo: [] },
      new Date(),
    ))!;
    await stage.permissions.followUp(decided);
    const [grant] = await grantsOf(requester);
    await revoke(requester, grant!.id);
    await stage.permissions.followUp(decided);
    expect(await grantsOf(requester)).toEqual([]);
  });

  it('retrying a revocation does not revoke grants given after the first attempt', async () => {
    const { requester } = await stage.newAgents();
    await allow(requester);
    const [grant] = await grantsOf(requester);
    await revoke(requester, grant!.id);
    await allow(requester);
    await revoke(requester, grant!.id);
    await expect(grantsOf(requester)).resolves.toHaveLength(1);
  });

  it('an owner can see and revoke a grant to a subuser’s agent; strangers cannot tell whether the grant exists', async () => {
    const { foregroundAgent } = await stage.newAgents();
    const { userId: ownerUserId } = foregroundAgent;
    const agent = { ...foregroundAgent, userId: createId(), ownerUserId };
    await decide(foregroundAgent, await waitingId(agent), 'always');
    const [grant] = await grantsOf(foregroundAgent);
    const { foregroundAgent: stranger } = await stage.newAgents();
    expect(await grantsOf(stranger)).toEqual([]);
    const messages = await Promise.all(
      [grant!.id, createId()].map((id) =>
        revoke(stranger, id).catch((error: unknown) => (error as Error).message),
      ),
    );
    expect(messages[0]).toBe(messages[1]);
    await revoke(foregroundAgent, grant!.id);
    expect(await grantsOf(foregroundAgent)).toEqual([]);
  });
});
