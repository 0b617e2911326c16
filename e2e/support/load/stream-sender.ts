import { createId } from '@daycare/api/create-id';
import type { SendFriendMessagesRequest } from '@daycare/contracts/social-graph';
import { AppError } from '@daycare/api';
import { fromStatus } from '@daycare/rpc';
import type { Graph } from '../clients/clients';
import type { Person } from '../people/people';
import { isInDoubt } from '../stack/until-answered';

/**
 * Sends messages to a friend over streams. When a stream ends early, the unanswered messages are resent under the same
 * request ids on the next stream, to another replica.
 */
export class StreamSender {
  readonly texts: readonly string[];
  /** How many messages were answered. */
  answered = 0;
  /** How many streams were opened. */
  streams = 0;
  readonly #requests: readonly SendFriendMessagesRequest[];

  constructor(
    private readonly graphs: readonly Graph[],
    private readonly sender: Person,
    { nametag }: Person,
    count: number,
  ) {
    this.texts = Array.from({ length: count }, (_, index) => `${index} ${createId()}`);
    this.#requests = this.texts.map((message) => ({ requestId: createId(), nametag, message }));
  }

  /** Sends all messages, those after the first `count` only once `proceed` resolves; resolves when all are answered. */
  async sendAll(count: number, proceed: Promise<unknown>): Promise<void> {
    while (this.answered < this.#requests.length) {
      try {
        await this.#sendOverStream(count, proceed);
      } catch (error) {
        if (!isInDoubt(error)) throw error;
      }
    }
  }

  async #sendOverStream(count: number, proceed: Promise<unknown>): Promise<void> {
    const graph = this.graphs[this.streams % this.graphs.length]!;
    this.streams += 1;
    const requests = this.#requestsFrom(this.answered, count, proceed);
    for await (const { requestId, outcome } of graph.sendFriendMessages(requests, this.sender.as)) {
      if (outcome?.$case !== 'sent') throw outcome ? fromStatus(outcome.value) : noOutcome();
      if (requestId !== this.#requests[this.answered]!.requestId) throw outOfOrder();
      this.answered += 1;
    }
  }

  async *#requestsFrom(start: number, count: number, proceed: Promise<unknown>) {
    for (const [index, request] of this.#requests.slice(start).entries()) {
      if (start + index >= count) await proceed;
      yield request;
    }
  }
}

const noOutcome = (): AppError => new AppError('INTERNAL', 'a response has no outcome');
const outOfOrder = (): AppError => new AppError('INTERNAL', 'a response arrived out of order');
