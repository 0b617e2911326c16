import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { SystemMessage } from '@daycare/contracts/common';
import { startPermissionStage, type PermissionStage } from '../test-support/permission-stage';
import { permissionTtlMs } from '../test-support/test-permissions';

let stage: PermissionStage;

beforeAll(async () => {
  stage = await startPermissionStage();
});
afterAll(() => stage.close());

describe('asking', () => {
  it('keeps a request that says where it is shown and when it expires', async () => {
    const { talker, asker } = await stage.cast();
    const request = await stage.ask(asker);
    expect(request).toMatchObject({
      userId: asker.userId,
      agentId: asker.id,
      agentLabel: 'scout',
      permission: 'network',
      reason: 'to look it up',
      state: 'pending',
      contextFrom: 1,
      presentedTo: { agentId: talker.id, userId: talker.userId },
      target: { connector: 'cli', connectorUserId: 'me' },
    });
    expect(+request.expiresAt - +request.createdAt).toBe(permissionTtlMs);
  });

  it('tells the agent that talks with the user silently and once, however often it is repeated', async () => {
    const { talker, asker } = await stage.cast();
    const requestId = createId();
    const answers = await Promise.all([stage.ask(asker, requestId), stage.ask(asker, requestId)]);
    answers.push(await stage.ask(asker, requestId));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const heard = await stage.heardBy(talker);
    expect(heard).toMatchObject([{ kind: 'system_message', origin: 'system', silent: true }]);
    expect(heard[0]).toHaveProperty('text', expect.stringContaining('network'));
    await expect(stage.owed(answers[0])).resolves.toBeUndefined();
  });

  it('is another request with another id or for something else', async () => {
    const { asker } = await stage.cast();
    const requestId = createId();
    const made = [
      await stage.ask(asker, requestId),
      await stage.ask(asker, requestId, 'files'),
      await stage.ask(asker),
    ];
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
  });

  it('has an agent that talks with the user itself told nothing about its own request', async () => {
    const talker = await stage.runtime.newAgent();
    const request = await stage.ask(talker);
    expect(request).toMatchObject({ target: { connector: 'cli' } });
    await stage.decide(request);
    await expect(stage.heardBy(talker)).resolves.toMatchObject([{ kind: 'permission_decision' }]);
  });

  it('works while nobody talks with the user', async () => {
    const asker = await stage.runtime.newAgent({ kind: 'cron', id: createId() });
    const request = await stage.ask(asker);
    expect(request.target).toBeUndefined();
    await stage.decide(request);
    await expect(stage.heardBy(asker)).resolves.toHaveLength(1);
  });

  it.each([
    [{ permission: 'Network' }, 'permission'],
    [{ reason: '  ' }, 'reason'],
    [{ requestId: '' }, 'request_id'],
  ])('with %j is refused and keeps nothing', async (wrong, field) => {
    const { asker: agent } = await stage.cast();
    const call = { agent, requestId: createId(), permission: 'network', reason: 'why', ...wrong };
    await expect(stage.permissions.request(call)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    const all = { userId: agent.userId, states: [], agentId: '', pageSize: 0, pageToken: '' };
    await expect(stage.permissions.list(all)).resolves.toMatchObject({ requests: [] });
  });
});

describe('a subuser’s agent', () => {
  it('is allowed things by the owner, whose agent hears of it over the outbox', async () => {
    const talker = await stage.runtime.newAgent();
    const userId = createId();
    const gateway = { kind: 'subuser', id: userId, name: 'kid', systemPrompt: '' } as const;
    const made = await stage.runtime.newAgent(gateway, userId);
    const asker = { ...made, ownerUserId: talker.userId };
    const request = await stage.ask(asker);
    expect(request).toMatchObject({ userId, target: { connector: 'cli' } });
    await stage.decide({ ...request, userId: talker.userId });
    await expect(stage.heardBy(asker)).resolves.toMatchObject([{ granted: true }]);
    const rows = await stage.runtime.mongo.db
      .collection('outbox')
      .find({ recipientUserId: talker.userId })
      .sort({ seq: 1 })
      .toArray();
    const sent = rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
    expect(sent).toMatchObject([
      { silent: true, origin: 'system', senderUserId: userId },
      { silent: true, text: expect.stringContaining('granted') },
    ]);
    expect(sent[0]!.recipient!.target).toEqual({ $case: 'agentId', value: talker.id });
  });
});
