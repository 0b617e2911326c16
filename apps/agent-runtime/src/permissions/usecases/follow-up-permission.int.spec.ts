import { afterEach, describe, expect, it } from '@jest/globals';
import type { Trust } from '@daycare/api';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import { isPrivateItem, provenanceOf, startedByOf } from '../../messaging/domain/item-source';
import { startPermissionStage } from '../../test-support/permission-stage';
import { grantOf } from '../domain/grant';
import { grantIdOf } from './confirm-approval';
import { resetNow } from '../../test-support/test-permissions';

const stage = useFixture(startPermissionStage);
afterEach(() => {
  stage.permissions.clock.aheadMs = 0;
});

describe('a crash while a permission is requested or decided', () => {
  const decision = {
    state: 'granted',
    decision: 'grant',
    grantUntil: undefined,
    decisionTo: [],
  } as const;

  it('a sweep notifies the foreground agent of a request if the process died right after storing it', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const address = { agentId: foregroundAgent.id, userId: foregroundAgent.userId };
    const asked = await stage.ask(requester);
    const request = (await stage.permissions.permissions.create(
      { ...asked, id: createId(), presentedTo: address },
      { key: createId(), agentPlace: 1, deciderPlace: 1 },
    ))!;
    stage.permissions.clock.aheadMs = 4_000;
    await stage.permissions.finish();
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(1);
    stage.permissions.clock.aheadMs = 6_000;
    await stage.permissions.finish();
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(2);
    await expect(stage.outstanding(request)).resolves.toBeUndefined();
  });

  it('retrying a decision completes it if the process died right after storing it', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    const decisionTo = [{ agentId: foregroundAgent.id, userId: foregroundAgent.userId }];
    await stage.permissions.permissions.decide(request, { ...decision, decisionTo }, new Date());
    await expect(stage.receivedBy(requester)).resolves.toEqual([]);
    await expect(stage.decide(request)).resolves.toMatchObject({ state: 'granted' });
    await expect(stage.receivedBy(requester)).resolves.toHaveLength(1);
    await expect(stage.grantsOf(requester)).resolves.toEqual(['network']);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(2);
    await expect(stage.outstanding(request)).resolves.toBeUndefined();
  });

  it('concurrent and repeated sweeps complete a decision exactly once after a crash', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    const decisionTo = [{ agentId: foregroundAgent.id, userId: foregroundAgent.userId }];
    const decided = (await stage.permissions.permissions.decide(
      request,
      { ...decision, decisionTo },
      new Date(),
    ))!;
    await stage.permissions.grants.add(grantOf(decided, grantIdOf(decided.id))!);
    stage.permissions.clock.aheadMs = 6_000;
    await Promise.all([
      stage.permissions.finish(),
      stage.permissions.finish(),
      stage.permissions.followUp(decided),
    ]);
    await stage.permissions.followUp(decided);
    await expect(stage.grantsOf(requester)).resolves.toEqual(['network']);
    await expect(stage.receivedBy(requester)).resolves.toHaveLength(1);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(2);
  });

  it('an agent that is reset before the sweep does not receive the decision', async () => {
    const { requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    await stage.permissions.permissions.decide(request, decision, new Date());
    await resetNow(stage.runtime, requester);
    stage.permissions.clock.aheadMs = 6_000;
    await stage.permissions.finish();
    await expect(stage.receivedBy(requester)).resolves.toEqual([]);
    await expect(stage.grantsOf(requester)).resolves.toEqual([]);
    await expect(stage.outstanding(request)).resolves.toBeUndefined();
  });
});

describe('labels of notices', () => {
  const startedBy = { source: 'friend', origin: 'friend:otter7', byPerson: false } as const;
  const askIn = async (trust: Trust, readPrivate: boolean) => {
    const { foregroundAgent, requester: agent } = await stage.newAgents();
    const foreignWriter = 'bob';
    const askedIn = { trust, readPrivate, foreignWriter, startedBy, hops: 2, turn: 5 };
    const call = { agent, requestId: createId(), permission: 'network', reason: 'why', askedIn };
    await stage.decide(await stage.permissions.request(call));
    expect(await stage.receivedBy(agent)).toMatchObject([
      { kind: 'permission_decision', askedIn: { trust, readPrivate, foreignWriter } },
    ]);
    return stage.receivedBy(foregroundAgent);
  };

  it.each([
    ['outside', 'outside'],
    ['guest', 'guest'],
    ['own', 'own'],
    ['person', 'own'],
  ] as const)(
    'a notice about a permission that was requested in a turn with trust %s has trust %s',
    async (asked, trust) => {
      const notices = await askIn(asked, false);
      expect(notices).toMatchObject([{ foreignWriter: 'bob' }, { foreignWriter: 'bob' }]);
      expect(notices.map((item) => provenanceOf(item, undefined))).toMatchObject([
        { source: 'engine', trust },
        { source: 'engine', trust },
      ]);
      // A notice is never treated as a person's message.
      expect(notices.map((item) => startedByOf(item, undefined).byPerson)).toEqual([false, false]);
    },
  );

  it('a notice about a permission is private if the turn that requested it had read something private', async () => {
    const isPrivate = (items: readonly InboxItem[]) =>
      items.map((item) => isPrivateItem(item, undefined));
    expect(isPrivate(await askIn('guest', true))).toEqual([true, true]);
    expect(isPrivate(await askIn('guest', false))).toEqual([false, false]);
  });
});
