import { TokenBuckets, type RpcClient, type ServiceContract } from '@daycare/rpc';

/**
 * How many calls in progress a client has before another client is opened. A service accepts 1,000 calls at a time on
 * one connection; a further call would wait for one to end.
 */
const callsPerClient = 500;
const maxClients = 32;
/**
 * Node closes an HTTP/2 connection, with all calls on it, when its client cancels more than 33 calls a second beyond a
 * burst of 1,000. A client that has used up the burst of 400 set here gets new calls only if no other client can take
 * them. If its 500 calls in progress are then cancelled as well, that makes 900 in all.
 */
const cancellations = { perSecond: 30, burst: 400 };

interface PooledClient {
  readonly key: string;
  readonly client: RpcClient<ServiceContract>;
  calls: number;
}

/** A client for one call; `release` must be called exactly once, when the call is over. */
export interface LentClient {
  readonly client: RpcClient<ServiceContract>;
  release(wasCancelled: boolean): void;
}

/**
 * Clients of one service, each with its own connections. Another client is opened when every existing one has many
 * calls in progress (thousands of streams do not fit on one connection) or has had many calls cancelled (callers who
 * keep disconnecting must not cost others their streams).
 */
export class ClientPool {
  readonly #clients: PooledClient[] = [];
  readonly #cancellations: TokenBuckets;

  constructor(
    private readonly open: () => RpcClient<ServiceContract>,
    now: () => number = Date.now,
  ) {
    this.#cancellations = new TokenBuckets(cancellations, now);
    this.#add();
  }

  lend(): LentClient {
    const chosen = this.#choose();
    chosen.calls += 1;
    return {
      client: chosen.client,
      release: (wasCancelled) => {
        chosen.calls -= 1;
        if (wasCancelled) this.#cancellations.charge(chosen.key);
      },
    };
  }

  close(): void {
    for (const { client } of this.#clients) client.close();
  }

  get size(): number {
    return this.#clients.length;
  }

  #choose(): PooledClient {
    const calm = this.#clients.filter(({ key }) => this.#cancellations.waitMs(key) === 0);
    const leastBusyCalm = leastBusy(calm);
    if (leastBusyCalm && leastBusyCalm.calls < callsPerClient) return leastBusyCalm;
    if (this.#clients.length < maxClients) return this.#add();
    return leastBusyCalm ?? leastBusy(this.#clients) ?? this.#add();
  }

  #add(): PooledClient {
    const added = { key: String(this.#clients.length), client: this.open(), calls: 0 };
    this.#clients.push(added);
    return added;
  }
}

function leastBusy(clients: readonly PooledClient[]): PooledClient | undefined {
  return clients.reduce<PooledClient | undefined>(
    (a, b) => (a && a.calls <= b.calls ? a : b),
    undefined,
  );
}
