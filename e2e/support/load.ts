import { createId } from '@paralleldrive/cuid2';
import { NoticeKind } from '@daycare/contracts/common';
import type { User } from '@daycare/contracts/identity';
import { AppError } from '@daycare/errors';
import type { Person } from './people';
import { isInDoubt, untilAnswered, type Graph, type SocialStack } from './social-stack';

export interface Talker extends Person {
  readonly helper: User;
  readonly friend: Person;
  /** Somebody that is no friend. */
  readonly stranger: Person;
}

const answeredWithinMs = 30_000;

/** One user that keeps talking to a friend, one call after the other, until it is told to stop. */
export class Talk {
  /** What the friend must hear, in this order. */
  readonly accepted: string[] = [];
  /** What the friend may hear or not: nobody knows whether it was accepted. */
  readonly doubtful: string[] = [];
  /** What nobody must hear. */
  readonly refused: string[] = [];
  readonly #graphs: SocialStack['graphs'];
  readonly #talker: Talker;
  #isShared = false;
  #isStopping = false;
  #done: Promise<void> | undefined;

  constructor(graphs: SocialStack['graphs'], talker: Talker) {
    this.#graphs = graphs;
    this.#talker = talker;
  }

  start(): this {
    this.#done = this.#talk();
    return this;
  }

  /** Resolves when the last call has been answered; rejects if any was answered wrongly. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
    if (this.#isShared) await this.#toggleShare();
  }

  async #talk(): Promise<void> {
    const steps = [
      () => this.#send(),
      () => this.#toggleShare(),
      () => this.#send(),
      () => this.#sendToStranger(),
      () => this.#sendOnce(),
    ];
    for (let step = 0; !this.#isStopping; step += 1) {
      await steps[step % steps.length]!();
    }
  }

  async #send(): Promise<void> {
    const { as, friend } = this.#talker;
    const text = createId();
    const request = { requestId: text, nametag: friend.nametag, message: text };
    await this.#answered((graph) => graph.sendFriendMessage(request, as));
    this.accepted.push(text);
  }

  async #toggleShare(): Promise<void> {
    const { as, friend, helper } = this.#talker;
    const request = {
      requestId: createId(),
      friendNametag: friend.nametag,
      subuserId: helper.id,
    };
    const call = this.#isShared ? 'unshareSubuser' : 'shareSubuser';
    await this.#answered((graph): Promise<unknown> => graph[call](request, as));
    this.accepted.push(this.#isShared ? NoticeKind.SHARE_REVOKED : NoticeKind.SHARE_OFFERED);
    this.#isShared = !this.#isShared;
  }

  async #sendToStranger(): Promise<void> {
    const { as, stranger } = this.#talker;
    const text = createId();
    const request = { requestId: text, nametag: stranger.nametag, message: text };
    this.refused.push(text);
    try {
      await this.#answered((graph) => graph.sendFriendMessage(request, as));
    } catch (error) {
      if (error instanceof AppError && error.code === 'FAILED_PRECONDITION') return;
      throw error;
    }
    throw new Error('a message to a stranger was accepted');
  }

  /** Not repeated when the answer is lost, as by a client that gives up. */
  async #sendOnce(): Promise<void> {
    const { as, friend } = this.#talker;
    const text = createId();
    const request = { requestId: text, nametag: friend.nametag, message: text };
    try {
      await this.#graphs[0].sendFriendMessage(request, as);
      this.accepted.push(text);
    } catch (error) {
      if (!isInDoubt(error)) throw error;
      this.doubtful.push(text);
    }
  }

  async #answered<T>(call: (graph: Graph) => Promise<T>): Promise<T> {
    const first = Math.random() < 0.5 ? 0 : 1;
    return untilAnswered(
      (attempt) => call(this.#graphs[(attempt + first) % 2 === 0 ? 0 : 1]),
      answeredWithinMs,
    );
  }
}
