import { createId } from '@daycare/api/create-id';
import { NoticeKind } from '@daycare/contracts/common';
import type { User } from '@daycare/contracts/identity';
import { AppError } from '@daycare/api';
import type { Person } from '../people/people';
import type { Graph } from '../clients/clients';
import { isInDoubt, untilAnswered } from '../stack/until-answered';

export interface Talker extends Person {
  readonly helper: User;
  readonly friend: Person;
  /** A user who is not a friend. */
  readonly stranger: Person;
}

const answeredWithinMs = 30_000;

/** Makes one call after another for a user, most of them concerning a friend, until stopped. */
export class SendingLoop {
  /** The messages and kinds of notice that the friend must receive, in this order. */
  readonly accepted: string[] = [];
  /** The messages that the friend may or may not receive, because the outcome of their calls is unknown. */
  readonly doubtful: string[] = [];
  /** The messages that must not be delivered. */
  readonly refused: string[] = [];
  readonly #graphs: readonly Graph[];
  readonly #talker: Talker;
  #isShared = false;
  #isStopping = false;
  #done: Promise<void> | undefined;

  constructor(graphs: readonly Graph[], talker: Talker) {
    this.#graphs = graphs;
    this.#talker = talker;
  }

  start(): this {
    this.#done = this.#keepCalling();
    return this;
  }

  /**
   * Resolves when the last call has been answered and a share that was still offered has been withdrawn; rejects if any
   * call got an unexpected response.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
    if (this.#isShared) await this.#toggleShare();
  }

  async #keepCalling(): Promise<void> {
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
    await this.#callUntilAnswered((graph) => graph.sendFriendMessage(request, as));
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
    await this.#callUntilAnswered((graph): Promise<unknown> => graph[call](request, as));
    this.accepted.push(this.#isShared ? NoticeKind.SHARE_REVOKED : NoticeKind.SHARE_OFFERED);
    this.#isShared = !this.#isShared;
  }

  async #sendToStranger(): Promise<void> {
    const { as, stranger } = this.#talker;
    const text = createId();
    const request = { requestId: text, nametag: stranger.nametag, message: text };
    this.refused.push(text);
    try {
      await this.#callUntilAnswered((graph) => graph.sendFriendMessage(request, as));
    } catch (error) {
      if (error instanceof AppError && error.code === 'FAILED_PRECONDITION') return;
      throw error;
    }
    throw new Error('a message to a stranger was accepted');
  }

  /** Sends a message; does not retry the call if its outcome is unknown. */
  async #sendOnce(): Promise<void> {
    const { as, friend } = this.#talker;
    const text = createId();
    const request = { requestId: text, nametag: friend.nametag, message: text };
    try {
      await this.#graphs[0]!.sendFriendMessage(request, as);
      this.accepted.push(text);
    } catch (error) {
      if (!isInDoubt(error)) throw error;
      this.doubtful.push(text);
    }
  }

  async #callUntilAnswered<T>(call: (graph: Graph) => Promise<T>): Promise<T> {
    const first = Math.random() < 0.5 ? 0 : 1;
    return untilAnswered((attempt) => call(this.#graphs[(attempt + first) % 2]!), answeredWithinMs);
  }
}
