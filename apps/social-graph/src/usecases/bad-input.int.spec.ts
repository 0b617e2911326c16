import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { openTestCalls } from '../test-support/test-calls';

const test = useFixture(openTestCalls);

/** Expects INVALID_ARGUMENT for exactly this field, and no change in the database. */
async function expectRefused(work: () => Promise<unknown>, field: string): Promise<void> {
  const before = await test.stored();
  await expect(work()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(`The ${field.replaceAll('_', ' ')} `),
    details: { fields: [expect.objectContaining({ field })] },
  });
  expect(await test.stored()).toEqual(before);
}

const badNametags = {
  empty: '',
  blank: '   ',
  'without digits': 'otter',
  'without words': '42',
  'with a space': 'swift fox42',
  'with a control character': 'otter\u00001',
  'with a line break': 'otter\n1',
  'not ASCII': 'ötter1',
  'a MongoDB operator': '{"$gt":""}',
  oversized: `${'a'.repeat(64)}1`,
  'padded with 10,000 spaces': `${' '.repeat(10_000)}otter1`,
};
const badRequestIds = {
  empty: '',
  'with a space': 'a b',
  'with a control character': 'a\u0007',
  'not ASCII': 'é',
  oversized: 'a'.repeat(129),
};
const badIds = {
  empty: '',
  short: 'a',
  'upper case': 'ABC',
  'with a colon': 'a:b',
  'with a control character': 'ab\n',
  oversized: 'a'.repeat(65),
};
const badMessages = {
  empty: '',
  blank: ' \n\t ',
  '32,769 characters long': 'a'.repeat(32_769),
  'with a control character': 'Hello\u0000',
  'with half a character': 'Hello \ud800',
};
const eachOf = (bad: Readonly<Record<string, string>>) => Object.entries(bad);

describe('bad input', () => {
  const nametagCalls = ['addFriend', 'removeFriend', 'blockUser', 'unblockUser'] as const;
  const subuserCalls = ['shareSubuser', 'unshareSubuser'] as const;

  it.each(eachOf(badNametags))(
    'an invalid nametag (%s) is refused, and nothing is stored',
    async (_, bad) => {
      const [ada] = await test.newFriends();
      const { userId } = test.people.add(ada);
      for (const name of nametagCalls)
        await expectRefused(() => test.call(name, ada, bad), 'nametag');
      await expectRefused(() => test.send(ada, bad), 'nametag');
      for (const name of subuserCalls)
        await expectRefused(() => test.share(name, ada, bad, userId), 'friend_nametag');
    },
  );

  it.each(eachOf(badRequestIds))(
    'an invalid request id (%s) is refused, and nothing is stored',
    async (_, bad) => {
      const [ada, bob] = await test.newFriends();
      const { userId } = test.people.add(ada);
      for (const name of nametagCalls)
        await expectRefused(() => test.call(name, ada, bob.nametag, bad), 'request_id');
      await expectRefused(() => test.send(ada, bob.nametag, 'Hello', bad), 'request_id');
      for (const name of subuserCalls)
        await expectRefused(() => test.share(name, ada, bob.nametag, userId, bad), 'request_id');
    },
  );

  it.each(eachOf(badIds))(
    'an invalid id (%s) is refused, and nothing is stored',
    async (_, bad) => {
      const [ada, bob] = await test.newFriends();
      for (const name of subuserCalls)
        await expectRefused(() => test.share(name, ada, bob.nametag, bad), 'subuser_id');
      await expectRefused(() => test.usecases.getMessageStatus(ada.userId, bad), 'message_id');
      const sender = { userId: ada.userId, parentUserId: undefined };
      await expectRefused(() => test.usecases.checkDelivery(sender, bad), 'recipient_user_id');
    },
  );

  it.each(eachOf(badMessages))(
    'an invalid message (%s) is refused, and nothing is stored',
    async (_, bad) => {
      const [ada, bob] = await test.newFriends();
      await expectRefused(() => test.send(ada, bob.nametag, bad), 'message');
    },
  );

  it.each([-1, 1_001, 2 ** 31 - 1, -(2 ** 31)])('a page size of %d is refused', async (size) => {
    await expectRefused(() => test.list(test.people.add(), size), 'page_size');
  });

  it.each(['nonsense', '5', '{}', '[]', 'null', '"x"', '{"friends":1}', '{"friends":{"$gt":""}}'])(
    'a page token that encodes %s is refused',
    async (text) => {
      const token = text === 'nonsense' ? text : Buffer.from(text).toString('base64url');
      await expectRefused(() => test.list(test.people.add(), 0, token), 'page_token');
    },
  );

  it('the caller’s own nametag is refused in every call', async () => {
    const [ada] = await test.newFriends();
    const { userId } = test.people.add(ada);
    for (const name of nametagCalls)
      await expectRefused(() => test.call(name, ada, ada.nametag), 'nametag');
    await expectRefused(() => test.send(ada, ada.nametag), 'nametag');
    for (const name of subuserCalls)
      await expectRefused(() => test.share(name, ada, ada.nametag, userId), 'friend_nametag');
  });

  it('one error names every invalid field', async () => {
    await expect(test.send(test.people.add(), '', '', '')).rejects.toMatchObject({
      details: {
        fields: ['request_id', 'nametag', 'message'].map((field) =>
          expect.objectContaining({ field }),
        ),
      },
    });
  });
});
