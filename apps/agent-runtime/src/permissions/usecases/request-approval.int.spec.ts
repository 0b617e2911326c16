import { afterEach, describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../agents/domain/agent';
import { approvalsOn, startedByFriend, withContent } from '../../test-support/approval-calls';
import { startPermissionStage } from '../../test-support/permission-stage';
import { permissionTtlMs, resetNow } from '../../test-support/test-permissions';

const stage = useFixture(startPermissionStage);
afterEach(() => {
  stage.permissions.clock.aheadMs = 0;
});

const { requestApproval, waitingId, requestsOf, pendingOf, grantsOf, decide, revoke } =
  approvalsOn(stage);

describe('asking a person to approve a call', () => {
  it('a request for approval shows the exact call, who started the turn, and the turn’s trust', async () => {
    const { requester } = await stage.newAgents();
    const id = await waitingId(requester);
    expect(await requestsOf(requester)).toMatchObject([
      {
        id,
        permission: 'tool:file_write',
        call: {
          toolName: 'file_write',
          argumentsJson: '{"content":"hi","path":"home/a.txt"}',
        },
        askedIn: {
          trust: 'guest',
          readPrivate: false,
          startedBy: startedByFriend,
          hops: 2,
          turn: 5,
        },
        state: 'pending',
      },
    ]);
  });

  it('the same call, however its JSON is formatted, leads to one pending request', async () => {
    const { requester, foregroundAgent } = await stage.newAgents();
    const first = await waitingId(requester);
    const again = { argumentsJson: ' {"content": "hi",\n"path":"home/a.txt"}' };
    expect(await waitingId(requester, again)).toBe(first);
    expect(await requestsOf(requester)).toHaveLength(1);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(1);
  });

  it('a call with a changed argument needs another approval, even if the first call was approved', async () => {
    const { requester } = await stage.newAgents();
    const first = await waitingId(requester);
    await decide(requester, first, 'grant');
    const other = await waitingId(requester, withContent('changed'));
    expect(other).not.toBe(first);
    expect(await pendingOf(requester)).toMatchObject([{ id: other }]);
  });

  it('an approval for one call does not let the same call run a second time', async () => {
    const { requester } = await stage.newAgents();
    const first = await waitingId(requester);
    await decide(requester, first, 'grant');
    expect(await waitingId(requester)).not.toBe(first);
    expect(await grantsOf(requester)).toEqual([]);
  });

  it('a retry returns the same approval request, even after an "always" grant; reusing its request id for another call is refused', async () => {
    const { requester } = await stage.newAgents();
    const requestId = createId();
    const id = await waitingId(requester, { requestId });
    await decide(requester, id, 'always');
    expect(await waitingId(requester, { requestId })).toBe(id);
    await expect(
      requestApproval(requester, { requestId, ...withContent('other') }),
    ).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
  });

  it('a call whose arguments are too long to review is refused', async () => {
    const { requester } = await stage.newAgents();
    await expect(requestApproval(requester, withContent('x'.repeat(70_000)))).rejects.toMatchObject(
      {
        code: 'INVALID_ARGUMENT',
      },
    );
  });
});

describe('limits of pending requests', () => {
  const own = (content: string) => ({ ...withContent(content), trust: 'own' as const });

  it('foreign turns may have at most three of an agent’s five pending requests, and at most twelve of a person’s twenty', async () => {
    const owner = (await stage.newAgents()).foregroundAgent;
    const agents = Array.from({ length: 6 }, () => ({ ...owner, id: createId() }));
    const askAll = async (some: readonly Agent[], make: typeof withContent): Promise<number> => {
      const asked = some.flatMap((agent) =>
        Array.from({ length: 6 }, (_, index) => requestApproval(agent, make(`${index}`))),
      );
      const answers = await Promise.allSettled(asked);
      return answers.filter(({ status }) => status === 'fulfilled').length;
    };
    const byOutsider = (content: string) => ({
      ...withContent(content),
      trust: 'outside' as const,
    });
    expect(await askAll(agents.slice(0, 1), byOutsider)).toBe(3);
    await expect(requestApproval(agents[0]!, withContent('more'))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('at most 3 of them can be from turns that others started'),
    });
    expect(await askAll(agents.slice(1), withContent)).toBe(9);
    // These calls differ from the guests', because the same call would not create a second request.
    const mine = (content: string) => own(`mine ${content}`);
    expect(await askAll(agents.slice(0, 1), mine)).toBe(2);
    expect(await askAll(agents.slice(1), mine)).toBe(6);
  });

  it('of an agent’s 150 concurrent approval requests, five become pending, and the foreground agent is notified of those five', async () => {
    const { requester, foregroundAgent } = await stage.newAgents();
    const asked = Array.from({ length: 150 }, (_, index) =>
      requestApproval(requester, own(`${index}`)),
    );
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(145);
    expect(refused[0]).toMatchObject({ reason: { code: 'QUOTA_EXCEEDED' } });
    expect(await requestsOf(requester)).toHaveLength(5);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(5);
  });

  it('150 concurrent requests for the same permission create only one request', async () => {
    const { requester, foregroundAgent } = await stage.newAgents();
    const ids = await Promise.all(
      Array.from({ length: 150 }, async () => (await stage.ask(requester)).id),
    );
    expect(new Set(ids).size).toBe(1);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toHaveLength(1);
  });

  it('at most twenty requests are pending for one person, however many agents and subusers ask concurrently', async () => {
    const owner = (await stage.newAgents()).foregroundAgent;
    const agents = Array.from({ length: 6 }, (_, index) => ({
      ...owner,
      id: createId(),
      ...(index < 3 ? {} : { userId: createId(), ownerUserId: owner.userId }),
    }));
    const asked = agents.flatMap((agent) =>
      Array.from({ length: 5 }, (_, index) => requestApproval(agent, own(`${index}`))),
    );
    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await pendingOf(owner)).toHaveLength(20);
  });

  it.each(['was decided', 'has expired'])(
    'a request that %s makes room for another',
    async (how) => {
      const { requester } = await stage.newAgents();
      const ids: string[] = [];
      for (const each of ['1', '2', '3', '4', '5']) ids.push(await waitingId(requester, own(each)));
      await expect(requestApproval(requester, own('6'))).rejects.toMatchObject({
        code: 'QUOTA_EXCEEDED',
      });
      if (how === 'was decided') await decide(requester, ids[2]!, 'deny');
      else stage.permissions.clock.aheadMs = permissionTtlMs;
      await expect(requestApproval(requester, own('6'))).resolves.toMatchObject({
        kind: 'waiting',
      });
    },
  );
});

describe('an approval that is about to be used', () => {
  const confirm = (agent: Agent, id: string) => stage.permissions.confirmApproval(agent, id);

  it('once granted, an approval is valid for the agent that asked, and for no other agent', async () => {
    const { requester, foregroundAgent } = await stage.newAgents();
    const id = await waitingId(requester);
    expect(await confirm(requester, id)).toBe(false);
    await decide(requester, id, 'grant');
    expect(await confirm(requester, id)).toBe(true);
    expect(await confirm(foregroundAgent, id)).toBe(false);
  });

  it('an "always" approval is invalid once it is revoked', async () => {
    const { requester } = await stage.newAgents();
    const id = await waitingId(requester);
    await decide(requester, id, 'always');
    expect(await confirm(requester, id)).toBe(true);
    await revoke(requester, (await grantsOf(requester))[0]!.id);
    expect(await confirm(requester, id)).toBe(false);
  });
});

describe('decisions on calls', () => {
  it('the decision on a call reaches the agent together with the exact call and the labels of the turn that asked', async () => {
    const { requester } = await stage.newAgents();
    const id = await waitingId(requester, { readPrivate: true });
    await decide(requester, id, 'grant');
    await expect(stage.receivedBy(requester)).resolves.toMatchObject([
      {
        kind: 'permission_decision',
        permissionRequestId: id,
        granted: true,
        call: {
          toolName: 'file_write',
          argumentsJson: '{"content":"hi","path":"home/a.txt"}',
        },
        askedIn: { trust: 'guest', readPrivate: true, startedBy: startedByFriend, hops: 2 },
      },
    ]);
  });

  it('a decision on a call has no effect once the agent has been reset', async () => {
    const { requester } = await stage.newAgents();
    const id = await waitingId(requester);
    await resetNow(stage.runtime, requester);
    await expect(decide(requester, id, 'always')).resolves.toMatchObject({ state: 'expired' });
    await expect(stage.receivedBy(requester)).resolves.toEqual([]);
    expect(await grantsOf(requester)).toEqual([]);
  });

  it('a decision on a call has no effect once the call’s turn has been stopped; requests from other turns can still be decided', async () => {
    const { requester } = await stage.newAgents();
    const stopped = await waitingId(requester, { turn: 5 });
    const other = await waitingId(requester, { turn: 9, ...withContent('other') });
    await stage.permissions.expireTurnRequests(requester, 5);
    await stage.permissions.expireTurnRequests(requester, 5);
    await expect(decide(requester, stopped, 'grant')).resolves.toMatchObject({ state: 'expired' });
    await expect(decide(requester, other, 'grant')).resolves.toMatchObject({ state: 'granted' });
    await expect(stage.receivedBy(requester)).resolves.toHaveLength(1);
  });
});
