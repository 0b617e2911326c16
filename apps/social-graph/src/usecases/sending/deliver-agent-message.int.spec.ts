import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@daycare/api';
import type { DirectoryEntry } from '@daycare/service-kit';
import { uniqueName } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { openTestCalls } from '../../test-support/test-calls';
import type { AgentMessageCall } from './deliver-agent-message';

const test = useFixture(openTestCalls);

async function newShare(): Promise<[DirectoryEntry, DirectoryEntry, DirectoryEntry]> {
  const [ada, bob] = await test.newFriends();
  const helper = test.people.add(ada);
  await test.share('shareSubuser', ada, bob.nametag, helper.userId);
  await test.call('addFriend', bob, helper.nametag);
  return [ada, bob, helper];
}

function deliver(
  sender: DirectoryEntry,
  recipient: Pick<DirectoryEntry, 'userId'>,
  call: Partial<AgentMessageCall> = {},
): Promise<boolean> {
  return test.usecases.deliverAgentMessage({
    sender,
    agentId: 'agent1',
    turn: { hops: 2, trust: 'guest', carriesPrivate: true },
    messageId: uniqueName('m').replace('-', ''),
    recipientUserId: recipient.userId,
    recipientAgentId: '',
    text: 'Hello',
    allowedRelations: ['own_subuser', 'owner', 'shared_subuser', 'share_guest'],
    asSubuser: false,
    ...call,
  });
}

describe('an agent’s message to another user’s agent', () => {
  it('shares the lane of messages sent by nametag', async () => {
    const [, bob, helper] = await newShare();
    await test.send(bob, helper.nametag, 'first');
    await expect(
      deliver(bob, helper, { text: ' second ', recipientAgentId: 'gateway1' }),
    ).resolves.toBe(true);
    const [first, second] = await test.outboxOf(helper);
    expect([first?.text, second?.text]).toEqual(['first', 'second']);
    expect(second).toMatchObject({
      lane: first?.lane,
      origin: 'agent1',
      senderAgentId: 'agent1',
      recipient: { target: { $case: 'agentId', value: 'gateway1' } },
      hops: 2,
      carriesPrivate: true,
    });
  });

  it('names the subuser as its origin and may go to foreground agents when it is sent as a subuser', async () => {
    const [, bob, helper] = await newShare();
    await deliver(helper, bob, { asSubuser: true });
    expect((await test.outboxOf(bob)).at(-1)).toMatchObject({
      origin: `subuser:${helper.nametag}`,
      senderUserId: helper.userId,
      recipient: { userId: bob.userId, target: { $case: 'foreground' } },
    });
  });

  it.each(['perHour', 'waiting'] as const)(
    'counts towards the owner’s limit “%s”, whichever subuser sends it',
    async (limit) => {
      const [ada, bob, helper] = await newShare();
      const cook = test.people.add(ada);
      await test.share('shareSubuser', ada, bob.nametag, cook.userId);
      await test.call('addFriend', bob, cook.nametag);
      test.addressLimits[limit] = 3;
      const senders = [helper, cook, helper, cook];
      const codes: string[] = [];
      for (const sender of senders)
        codes.push(
          await deliver(sender, bob).then(
            () => 'OK',
            (error: unknown) => (error as AppError).code,
          ),
        );
      test.addressLimits[limit] = 1_000_000;
      expect(codes).toEqual(['OK', 'OK', 'OK', 'QUOTA_EXCEEDED']);
    },
  );

  it('is refused when the relation is not among the allowed relations', async () => {
    const [ada, bob, helper] = await newShare();
    const stranger = test.people.add();
    await expect(deliver(ada, bob)).resolves.toBe(false);
    await expect(deliver(stranger, helper)).resolves.toBe(false);
    await expect(deliver(helper, stranger)).resolves.toBe(false);
    await expect(deliver(bob, { userId: 'nobody1' })).resolves.toBe(false);
    await expect(deliver(bob, helper, { allowedRelations: [] })).resolves.toBe(false);
  });

  it('is refused after the share is revoked, but a retry of an accepted message is not', async () => {
    const [ada, bob, helper] = await newShare();
    const messageId = uniqueName('m').replace('-', '');
    await expect(deliver(helper, bob, { messageId })).resolves.toBe(true);
    await test.share('unshareSubuser', ada, bob.nametag, helper.userId);
    const stored = await test.stored();
    await expect(deliver(helper, bob)).resolves.toBe(false);
    await expect(deliver(helper, bob, { messageId })).resolves.toBe(true);
    await expect(deliver(ada, bob, { messageId })).resolves.toBe(false);
    expect(await test.stored()).toEqual(stored);
  });

  it('is refused without a sending agent, text or valid ids', async () => {
    const [, bob, helper] = await newShare();
    await expect(deliver(helper, bob, { agentId: undefined })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    const bad = [
      { text: ' ' },
      { messageId: '' },
      { recipientAgentId: 'A' },
      { recipientUserId: '' },
    ];
    for (const call of bad)
      await expect(deliver(helper, bob, call)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
