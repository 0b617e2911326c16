import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { eventually } from '@daycare/testing';
import { StreamSender } from '../support/load/stream-sender';
import { startListeningStack } from '../support/stack/listener';

const stack = useFixture(() => startListeningStack());
const { people, listener } = stack;

const messageCount = 500;

/** Sends messages over streams while `disturb` runs, and expects all of them to arrive once, in order. */
async function sendThrough(disturb: () => Promise<void>): Promise<StreamSender> {
  const [ada, bob] = await people.newFriends();
  const sender = new StreamSender(stack.graphs, ada, bob, messageCount);
  const disturbed = eventually(() => sender.answered >= 100, { timeoutMs: 30_000 }).then(disturb);
  await Promise.all([sender.sendAll(messageCount * 0.8, disturbed), disturbed]);
  await listener.settled(30_000);
  const received = listener.between(ada.id, bob.id).filter(({ notice }) => !notice);
  expect(received.map(({ text }) => text)).toEqual(sender.texts);
  return sender;
}

describe('SendFriendMessages', () => {
  it('a stream of friend messages delivers every message once and in order', async () => {
    const { streams } = await sendThrough(async () => undefined);
    expect(streams).toBe(1);
  });

  it('a stream of friend messages delivers every message once and in order when its replica is killed', async () => {
    const { streams } = await sendThrough(async () => {
      await stack.service('social-graph', 0).kill();
      await stack.service('social-graph', 0).restart();
    });
    expect(streams).toBeGreaterThan(1);
  });

  it('a stream of friend messages continues on another replica when the replica it uses is stopped', async () => {
    const { streams } = await sendThrough(async () => {
      await stack.service('social-graph', 0).restart();
    });
    expect(streams).toBeGreaterThan(1);
  });
});
