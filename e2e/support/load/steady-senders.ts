import { expect } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { historyOf, post } from '../people/history';
import type { Person } from '../people/people';
import { countUndelivered } from '../stack/listener';
import type { Stack } from '../stack/stack';
import { untilAnswered } from '../stack/until-answered';
import { whenDrained } from './message-storm';

/** A person who writes to a friend and to their own agent, one message at a time. */
interface Sender extends Person {
  readonly friend: Person;
  agentId: string;
  /** The ids of the acknowledged messages, in order. */
  readonly toFriend: string[];
  readonly toAgent: string[];
}

export interface SenderProgress {
  readonly toFriend: number;
  readonly toAgent: number;
}

/** Makes people send messages while servers fail, and records which messages were acknowledged. */
export class SteadySenders {
  readonly #stack: Stack;
  #senders: Sender[] = [];
  #lastAcknowledgedMs = 0;
  #longestGapMs = 0;

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  async prepare(pairCount: number): Promise<void> {
    const pairs = await Promise.all(
      Array.from({ length: pairCount }, () => this.#stack.people.newFriends()),
    );
    this.#senders = pairs.flatMap(([one, other]) => [newSender(one, other), newSender(other, one)]);
    await Promise.all(this.#senders.map((sender) => this.#postOnce(sender)));
  }

  /** Has everyone send until `disturb` is done; resolves to the longest time without an acknowledgement, in ms. */
  async sendThrough(disturb: () => Promise<void>): Promise<number> {
    let isOver = false;
    this.#lastAcknowledgedMs = performance.now();
    this.#longestGapMs = 0;
    const keepSending = async (sender: Sender): Promise<void> => {
      while (!isOver) {
        await this.#sendOnce(sender);
        await this.#postOnce(sender);
      }
    };
    const disturbed = disturb().finally(() => (isOver = true));
    await Promise.all([disturbed, ...this.#senders.map(keepSending)]);
    return this.#longestGapMs;
  }

  /** Resolves when, on average, several more messages from each sender have been acknowledged. */
  async whenMoreAcknowledged(): Promise<void> {
    const target = this.#countAcknowledged() + 4 * this.#senders.length;
    await eventually(() => this.#countAcknowledged() > target, { timeoutMs: 60_000 });
  }

  /** Expects everything acknowledged to arrive once, in the order in which it was acknowledged. */
  async expectDelivered(): Promise<void> {
    const drained = async () => (await countUndelivered(this.#stack)) === 0;
    await eventually(drained, { timeoutMs: 60_000 });
    await whenDrained(this.#stack, 60_000);
    for (const sender of this.#senders) {
      const received = await this.#receivedBy(sender);
      const { toFriend } = this.#senders.find(({ id }) => id === sender.friend.id)!;
      expect(received.filter((id) => toFriend.includes(id))).toEqual(toFriend);
      expect(received.filter((id) => sender.toAgent.includes(id))).toEqual(sender.toAgent);
    }
  }

  /** Counts each sender's acknowledged messages so far. */
  progress(): readonly SenderProgress[] {
    return this.#senders.map(({ toFriend, toAgent }) => ({
      toFriend: toFriend.length,
      toAgent: toAgent.length,
    }));
  }

  /**
   * Expects a copy of the stack to deliver, once and in order, everything that was acknowledged before the copy was
   * made. It may also deliver later messages, but none without all earlier ones from the same sender to the same
   * recipient.
   */
  async expectDeliveredIn(copy: Stack, progressBefore: readonly SenderProgress[]): Promise<void> {
    const drained = async () => (await countUndelivered(copy)) === 0;
    await eventually(drained, { timeoutMs: 60_000 });
    await whenDrained(copy, 60_000);
    for (const [index, sender] of this.#senders.entries()) {
      const received = await this.#receivedBy(sender, copy);
      const from = this.#senders.findIndex(({ id }) => id === sender.friend.id);
      const { toFriend } = this.#senders[from]!;
      const fromFriend = received.filter((id) => toFriend.includes(id));
      expect(fromFriend).toEqual(toFriend.slice(0, fromFriend.length));
      expect(fromFriend.length).toBeGreaterThanOrEqual(progressBefore[from]!.toFriend);
      const fromPerson = received.filter((id) => sender.toAgent.includes(id));
      expect(fromPerson).toEqual(sender.toAgent.slice(0, fromPerson.length));
      expect(fromPerson.length).toBeGreaterThanOrEqual(progressBefore[index]!.toAgent);
    }
  }

  async #postOnce(sender: Sender): Promise<void> {
    const request = post('Hello');
    const { runtime } = this.#stack;
    const answer = await untilAnswered(() => runtime.postMessage(request, sender.as));
    sender.agentId = answer.agentId;
    sender.toAgent.push(answer.messageId);
    this.#noteAcknowledged();
  }

  async #sendOnce({ as, friend, toFriend }: Sender): Promise<void> {
    const request = { requestId: createId(), nametag: friend.nametag, message: 'Hello' };
    const { graph } = this.#stack;
    const { messageId } = await untilAnswered(() => graph.sendFriendMessage(request, as));
    toFriend.push(messageId);
    this.#noteAcknowledged();
  }

  #noteAcknowledged(): void {
    const nowMs = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastAcknowledgedMs);
    this.#lastAcknowledgedMs = nowMs;
  }

  #countAcknowledged(): number {
    return this.#senders.reduce(
      (sum, { toFriend, toAgent }) => sum + toFriend.length + toAgent.length,
      0,
    );
  }

  async #receivedBy({ as, agentId }: Sender, { runtime } = this.#stack): Promise<string[]> {
    const records = await historyOf(runtime, { as }, agentId);
    return records.flatMap(({ record }) =>
      record?.$case === 'userMessage' ? record.value.messageIds : [],
    );
  }
}

function newSender(person: Person, friend: Person): Sender {
  return { ...person, friend, agentId: '', toFriend: [], toAgent: [] };
}
