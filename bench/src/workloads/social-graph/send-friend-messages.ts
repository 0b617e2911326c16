import { toAppError } from '@daycare/api';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { DeliveryCounter } from '../../follow-up/delivery-counter';
import type { Workload } from '../../kit/workload';
import { shortText } from '../shared/agents';
import { connectSocialGraph, createPeople } from '../shared/people';
import { makeTie, storeTies } from '../shared/seed-ties';
import { MessageStream } from './message-stream';

const senderCount = 8;
const friendsEach = 8;

/**
 * Each operation sends a message on one of a few streams; its work is finished once the message is in the friend's
 * mailbox.
 */
export const sendFriendMessagesWorkload: Workload = {
  name: 'social-graph SendFriendMessages, delivered',
  baseline: ['mongo-insert'],
  reach: [64],
  async prepare(stack) {
    // The bench also runs on older checkouts, which do not have this call yet.
    if (!('sendFriendMessages' in SocialGraphServiceService)) return undefined;
    const people = await createPeople(stack, senderCount * (friendsEach + 1));
    const senders = people.slice(0, senderCount);
    const friendsOf = (sender: number) =>
      people.slice(senderCount + sender * friendsEach).slice(0, friendsEach);
    const pairs = senders.flatMap((sender, index) =>
      friendsOf(index).map((friend) => ({ index, sender, friend })),
    );
    await storeTies(
      stack,
      pairs.map(({ sender, friend }) => makeTie(sender, friend)),
    );
    const graph = connectSocialGraph(stack);
    const followUp = await DeliveryCounter.open(stack);
    const streams = senders.map((sender) => new MessageStream(graph.next(), sender));
    let next = 0;
    const run = async (): Promise<void> => {
      const { index, friend } = pairs[next++ % pairs.length]!;
      await streams[index]!.send(friend.nametag, shortText);
      followUp.accept();
    };
    const close = async (): Promise<void> => {
      for (const stream of streams) stream.close();
      graph.close();
    };
    if (await isOffered(run)) return { followUp, run, close };
    await close();
    return undefined;
  },
};

/** Reports whether the measured services implement the call; throws on any other error. */
async function isOffered(call: () => Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (toAppError(error).code === 'UNIMPLEMENTED') return false;
    throw error;
  }
}
