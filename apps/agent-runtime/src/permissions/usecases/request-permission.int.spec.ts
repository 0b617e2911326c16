import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { SystemMessage } from '@daycare/contracts/common';
import type { RequestingTurn } from '../domain/permission';
import { startPermissionStage } from '../../test-support/permission-stage';
import { permissionTtlMs } from '../../test-support/test-permissions';

const stage = useFixture(startPermissionStage);

describe('requesting a permission', () => {
  it('a permission request is stored with where it is shown and when it expires', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const request = await stage.ask(requester);
    expect(request).toMatchObject({
      userId: requester.userId,
      agentId: requester.id,
      agentLabel: 'scout',
      permission: 'network',
      reason: 'to look it up',
      state: 'pending',
      contextFrom: 1,
      presentedTo: { agentId: foregroundAgent.id, userId: foregroundAgent.userId },
      target: { connector: 'cli', connectorUserId: 'me' },
    });
    expect(+request.expiresAt - +request.createdAt).toBe(permissionTtlMs);
  });

  it('the foreground agent is notified silently and only once, however often a permission request is retried', async () => {
    const { foregroundAgent, requester } = await stage.newAgents();
    const requestId = createId();
    const answers = await Promise.all([
      stage.ask(requester, requestId),
      stage.ask(requester, requestId),
    ]);
    answers.push(await stage.ask(requester, requestId));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const received = await stage.receivedBy(foregroundAgent);
    expect(received).toMatchObject([{ kind: 'system_message', origin: 'system', silent: true }]);
    expect(received[0]).toHaveProperty('text', expect.stringContaining('network'));
    await expect(stage.outstanding(answers[0])).resolves.toBeUndefined();
  });

  it('asking for a different permission creates a new request; asking for the same one does so only after a decision', async () => {
    const { requester } = await stage.newAgents();
    const requestId = createId();
    const first = await stage.ask(requester, requestId);
    const requests = [
      first,
      await stage.ask(requester, requestId, 'files'),
      await stage.ask(requester),
    ];
    expect(new Set(requests.map(({ id }) => id)).size).toBe(2);
    await stage.decide(first, 'deny');
    expect((await stage.ask(requester)).id).not.toBe(first.id);
  });

  it('an agent that talks with the user is not notified of its own request', async () => {
    const foregroundAgent = await stage.runtime.newAgent();
    const request = await stage.ask(foregroundAgent);
    expect(request).toMatchObject({ target: { connector: 'cli' } });
    await stage.decide(request);
    await expect(stage.receivedBy(foregroundAgent)).resolves.toMatchObject([
      { kind: 'permission_decision' },
    ]);
  });

  it('a permission can be requested and granted while the user has no foreground agent', async () => {
    const requester = await stage.runtime.newAgent({ kind: 'cron', id: createId() });
    const request = await stage.ask(requester);
    expect(request.target).toBeUndefined();
    await stage.decide(request);
    await expect(stage.receivedBy(requester)).resolves.toHaveLength(1);
  });

  it.each([
    [{ permission: 'Network' }, 'permission'],
    [{ reason: '  ' }, 'reason'],
    [{ requestId: '' }, 'request_id'],
  ])('a permission request with %j is refused and not stored', async (wrong, field) => {
    const { requester: agent } = await stage.newAgents();
    const call = { agent, requestId: createId(), permission: 'network', reason: 'why', ...wrong };
    await expect(stage.permissions.request(call)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    const all = { userId: agent.userId, states: [], agentId: '', pageSize: 0, pageToken: '' };
    await expect(stage.permissions.list(all)).resolves.toMatchObject({ requests: [] });
  });
});

describe('a granted permission', () => {
  const turn = (trust: Trust, senderUserId: string, readPrivate = false) => {
    const startedBy = {
      source: 'friend',
      origin: 'friend:x',
      senderUserId,
      byPerson: false,
    } as const;
    return { trust, readPrivate, startedBy, hops: 1, turn: 2 };
  };
  const grantedIn = async (askedIn: RequestingTurn) => {
    const { requester: agent } = await stage.newAgents();
    const asked = { agent, requestId: createId(), permission: 'network', reason: 'why', askedIn };
    await stage.decide(await stage.permissions.request(asked));
    return (used: RequestingTurn) => stage.permissions.hasPermission(agent, 'network', used);
  };

  it('a permission requested in the user’s own turn does not apply to guests’ turns', async () => {
    const appliesIn = await grantedIn(turn('person', 'ada'));
    await expect(appliesIn(turn('own', 'ada', true))).resolves.toBe(true);
    await expect(appliesIn(turn('guest', 'bob'))).resolves.toBe(false);
  });

  it('a permission requested in a guest’s turn applies to that guest’s turns and to the user’s own', async () => {
    const appliesIn = await grantedIn(turn('guest', 'bob'));
    await expect(appliesIn(turn('guest', 'bob'))).resolves.toBe(true);
    await expect(appliesIn(turn('own', 'ada'))).resolves.toBe(true);
    await expect(appliesIn(turn('guest', 'bob', true))).resolves.toBe(false);
    await expect(appliesIn(turn('guest', 'carl'))).resolves.toBe(false);
    await expect(appliesIn(turn('outside', 'bob'))).resolves.toBe(false);
  });
});

describe('a subuser’s agent that requests a permission', () => {
  it('the owner decides requests from a subuser’s agent, and the owner’s foreground agent is notified through the outbox', async () => {
    const foregroundAgent = await stage.runtime.newAgent();
    const userId = createId();
    const gateway = { kind: 'subuser', id: userId, name: 'kid', systemPrompt: '' } as const;
    const agent = await stage.runtime.newAgent(gateway, userId);
    const requester = { ...agent, ownerUserId: foregroundAgent.userId };
    const request = await stage.ask(requester);
    expect(request).toMatchObject({ userId, target: { connector: 'cli' } });
    await stage.decide({ ...request, userId: foregroundAgent.userId });
    await expect(stage.receivedBy(requester)).resolves.toMatchObject([{ granted: true }]);
    const rows = await stage.runtime.mongo.db
      .collection('outbox')
      .find({ recipientUserId: foregroundAgent.userId })
      .sort({ seq: 1 })
      .toArray();
    const sent = rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
    expect(sent).toMatchObject([
      { silent: true, origin: 'system', senderUserId: userId },
      { silent: true, text: expect.stringContaining('granted') },
    ]);
    expect(sent[0]!.recipient!.target).toEqual({ $case: 'agentId', value: foregroundAgent.id });
  });
});
