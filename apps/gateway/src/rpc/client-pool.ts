import type { RpcClient, ServiceContract } from '@daycare/rpc';

/** A service accepts a thousand calls at a time on one connection; more would wait for others to end. */
const callsPerClient = 500;
const maxClients = 32;

interface Pooled {
  readonly client: RpcClient<ServiceContract>;
  calls: number;
}

/** A client for one call; `release` must be called once when the call is over. */
export interface LentClient {
  readonly client: RpcClient<ServiceContract>;
  release(): void;
}

/**
 * Clients of one service, each with connections of its own. Another is opened when all have many calls in
 * progress: thousands of streams do not fit on one connection.
 */
export class ClientPool {
  readonly #pooled: Pooled[];

  constructor(private readonly open: () => RpcClient<ServiceContract>) {
    this.#pooled = [{ client: open(), calls: 0 }];
  }

  lend(): LentClient {
    const chosen = this.#leastBusy();
    chosen.calls += 1;
    return {
      client: chosen.client,
      release: () => {
        chosen.calls -= 1;
      },
    };
  }

  close(): void {
    for (const { client } of this.#pooled) client.close();
  }

  get size(): number {
    return this.#pooled.length;
  }

  #leastBusy(): Pooled {
    const found = this.#pooled.reduce((a, b) => (b.calls < a.calls ? b : a));
    if (found.calls < callsPerClient || this.#pooled.length >= maxClients) return found;
    const added = { client: this.open(), calls: 0 };
    this.#pooled.push(added);
    return added;
  }
}
