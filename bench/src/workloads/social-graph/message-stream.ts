import { randomUUID } from 'node:crypto';
import type {
  SendFriendMessagesRequest,
  SendFriendMessagesResponse,
} from '@daycare/contracts/social-graph';
import type { Person, SocialGraphClient } from '../shared/people';

interface PendingRequest {
  readonly requestId: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** One sender's SendFriendMessages stream; responses arrive in the order of the requests. */
export class MessageStream {
  readonly #stop = new AbortController();
  readonly #unsent: SendFriendMessagesRequest[] = [];
  readonly #pending: PendingRequest[] = [];
  #wake: () => void = () => undefined;

  constructor(graph: SocialGraphClient, sender: Person) {
    const { signal } = this.#stop;
    const answers = graph.sendFriendMessages(this.#requests(), { ...sender.as, signal });
    void this.#receive(answers).catch((error: unknown) => {
      for (const { reject } of this.#pending.splice(0)) reject(error);
    });
  }

  /** Resolves once the message is accepted. */
  send(nametag: string, message: string): Promise<void> {
    const requestId = randomUUID();
    return new Promise((resolve, reject) => {
      this.#pending.push({ requestId, resolve, reject });
      this.#unsent.push({ requestId, nametag, message });
      this.#wake();
    });
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  async *#requests(): AsyncIterable<SendFriendMessagesRequest> {
    while (!this.#stop.signal.aborted) {
      const request = this.#unsent.shift();
      if (request) yield request;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #receive(answers: AsyncIterable<SendFriendMessagesResponse>): Promise<void> {
    for await (const { requestId, outcome } of answers) {
      const next = this.#pending.shift();
      if (next?.requestId !== requestId) throw new Error('a response arrived out of order');
      if (outcome?.$case === 'sent') next.resolve();
      else next.reject(new Error(outcome?.value.message ?? 'no outcome'));
    }
    throw new Error('the stream ended');
  }
}
