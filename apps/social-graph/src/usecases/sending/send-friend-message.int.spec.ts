import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrokenSequenceError, OutboxStore } from '@daycare/messaging';
import { openTestCalls, type TestCalls } from '../../test-support/test-calls';
import { noLookups } from '../lookups';
import { makeSendSteps } from './send-friend-message';

let calls: TestCalls;
beforeAll(async () => {
  calls = await openTestCalls();
});
afterAll(() => calls.close());

const stepsOf = ({ people, ties, addressLimits, mongo, clock }: TestCalls) =>
  makeSendSteps({
    directory: people.directory,
    findOwnSubusers: people.findOwnSubusers,
    ties,
    addressLimits,
    outbox: new OutboxStore(mongo.db, 'social-graph'),
    now: () => clock,
  });

describe('the steps of sending a message', () => {
  it('a message in a broken sequence is not stored, but can be stored on its own', async () => {
    const [ada, { nametag }] = await calls.newFriends();
    const { prepare, store } = stepsOf(calls);
    const call = { callerId: ada.userId, agentId: undefined, turn: {}, requestId: 'r1', nametag };
    const message = await prepare({ ...call, message: 'hello' });
    await expect(store(message, { isBroken: true })).rejects.toBeInstanceOf(BrokenSequenceError);
    const { messageId } = message;
    await expect(store(message)).resolves.toEqual({ nametag, messageId });
  });
});

describe('sending to one of the caller’s own subusers', () => {
  it('reaches its gateway agent by nametag or name, with the owner as origin', async () => {
    const ada = calls.people.add();
    const helper = calls.people.add(ada);
    calls.people.rename(helper.userId, 'research-assistant');
    await calls.send(ada, helper.nametag, 'by nametag');
    const sent = await calls.send(ada, ' research-assistant ', 'by name');
    expect(sent.nametag).toBe(helper.nametag);
    await expect(calls.outboxOf(helper)).resolves.toMatchObject(
      ['by nametag', 'by name'].map((text) => ({
        text,
        origin: `owner:${ada.nametag}`,
        lane: `${ada.userId}>${helper.userId}`,
        recipient: { userId: helper.userId, target: { $case: 'gateway' } },
      })),
    );
  });

  it('records an unknown nametag if the subuser is addressed by a name that could be a nametag', async () => {
    const ada = calls.people.add();
    const helper = calls.people.add(ada);
    const { prepare } = stepsOf(calls);
    const call = { callerId: ada.userId, agentId: undefined, turn: {}, requestId: 'r1' };
    for (const [name, isUnknownNametag] of [
      ['freetag42', true],
      ['My helper', undefined],
    ] as const) {
      calls.people.rename(helper.userId, name);
      const lookups = noLookups();
      await prepare({ ...call, nametag: name, message: 'hello', lookups });
      expect(lookups.isUnknownNametag).toBe(isUnknownNametag);
    }
  });

  it('is refused if the name belongs to several of them', async () => {
    const ada = calls.people.add();
    for (const { userId } of [calls.people.add(ada), calls.people.add(ada)])
      calls.people.rename(userId, 'twin');
    await expect(calls.send(ada, 'twin')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message:
        'The nametag matches the names of several of your subusers; give the nametag of the one you mean instead',
    });
  });

  it('does not extend to a friend’s unshared subusers, whether by name or by nametag', async () => {
    const [ada, bob] = await calls.newFriends();
    const helper = calls.people.add(ada);
    calls.people.rename(helper.userId, 'private7');
    await expect(calls.send(bob, 'private7')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(calls.send(bob, helper.nametag)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(calls.outboxOf(helper)).resolves.toEqual([]);
  });
});
