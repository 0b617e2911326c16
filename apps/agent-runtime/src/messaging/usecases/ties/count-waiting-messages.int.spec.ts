import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { Notice, NoticeKind, SystemMessage } from '@daycare/contracts/common';
import { profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { buildTestDelivery, friendMail } from '../../../test-support/test-endings';
import { startTestRuntime } from '../../../test-support/test-runtime';
import type { MessageTie } from '../../domain/closed-tie';
import { tieOf } from '../../events/on-closing';
import { makeCountWaitingMessages } from './count-waiting-messages';
import type { Delivery, DeliveryPlan } from '../delivery/plan-deliveries';

const runtime = useFixture(startTestRuntime);

const newTie = (from: string, subuserId?: string): MessageTie => ({
  id: `tie-${createId()}`,
  version: 3,
  from,
  ...(subuserId === undefined ? {} : { subuserId }),
});

async function deliver(mail: readonly Delivery[]): Promise<void> {
  const replica = buildTestDelivery(runtime);
  await replica.store((await replica.prepare(mail)) as DeliveryPlan[]);
}

const mailOf = (userId: string, tie: MessageTie, count: number): Delivery[] =>
  Array.from({ length: count }, (_, n) => friendMail(userId, `m${n}`, tie));

const count = async (tieId: string, ...userIds: string[]): Promise<readonly number[]> =>
  makeCountWaitingMessages(runtime)(userIds.map((userId) => ({ tieId, userId })));

describe('countWaitingMessages', () => {
  it('counts each side’s messages under a tie that are waiting in inboxes or mailboxes, including those under a share', async () => {
    const agent = await runtime.newAgent();
    const tie = newTie('ada');
    await deliver([
      ...mailOf(agent.userId, tie, 3),
      ...mailOf(createId(), tie, 2),
      ...mailOf(agent.userId, { ...tie, subuserId: 'helper' }, 4),
      ...mailOf(agent.userId, { ...tie, from: 'bob' }, 1),
      ...mailOf(agent.userId, newTie('ada'), 5),
    ]);
    expect(await count(tie.id, 'ada', 'bob', 'carol')).toEqual([9, 1, 0]);
  });

  it('counts a message until every agent that receives it has handled it', async () => {
    const userId = createId();
    const agents = [
      await runtime.newAgent(undefined, userId),
      await runtime.newAgent(undefined, userId),
    ];
    const tie = newTie('ada');
    const mail = mailOf(userId, tie, 3);
    await deliver(mail);
    const ids = mail.map(({ message }) => message.messageId);
    await runtime.inbox.settle(agents[0]!, ids, new Date());
    expect(await count(tie.id, 'ada')).toEqual([3]);
    await runtime.inbox.settle(agents[1]!, ids.slice(1), new Date());
    expect(await count(tie.id, 'ada')).toEqual([1]);
  });

  it('counts waiting messages by reading only the index', async () => {
    const tie = newTie('ada');
    await deliver(mailOf(createId(), tie, 200));
    const [query] = await profileQueries(runtime.mongo.db, /\.inbox$/, async () => {
      expect(await count(tie.id, 'ada', 'bob')).toEqual([200, 0]);
    });
    expect(query).toMatchObject({ docsExamined: 0, keysExamined: expect.any(Number) });
  });

  it('rejects a list of more than 1,000 senders', async () => {
    const senders = Array.from({ length: 1_001 }, () => ({ tieId: 't', userId: 'u' }));
    await expect(makeCountWaitingMessages(runtime)(senders)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

it('a message from a subuser counts against its owner’s budget, and a notice against no one’s', () => {
  const tie = { id: 'a:b', version: 1, subuserId: 'helper' };
  const sent = SystemMessage.create({ tie, senderUserId: 'helper', senderOwnerId: 'ada' });
  expect(tieOf(sent)).toEqual({ ...tie, from: 'ada' });
  const direct = SystemMessage.create({ tie: { ...tie, subuserId: '' }, senderUserId: 'ada' });
  expect(tieOf(direct)).toEqual({ id: 'a:b', version: 1, from: 'ada' });
  const notice = Notice.create({ kind: NoticeKind.FRIEND_REMOVED });
  expect(tieOf({ ...direct, notice })).toEqual({ id: 'a:b', version: 1 });
});
