import type { NatsHandle } from '@daycare/messaging';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, type TestStack } from '@daycare/testing';
import { readMetric } from '../stack/read-metric';

interface LeaseDocument {
  readonly fences: readonly number[];
  readonly replicas: readonly { readonly id: string; readonly expiresAt: Date }[];
}

const stranger = 'another';

/** Changes leases in the database, as other replicas would, in a stack with a single replica of agent-runtime. */
export class ShardTable {
  constructor(
    private readonly db: MongoConnection['db'],
    private readonly nats: NatsHandle['connection'],
    private readonly natsPrefix: string,
  ) {}

  /** Ends all leases, so that a replica started after a kill need not wait until the killed one's lease expires. */
  async expire(): Promise<void> {
    await this.#leases.updateOne({}, { $set: { replicas: [] } });
  }

  /** Gives all shards to a replica that does not exist. */
  async assignToStranger(): Promise<void> {
    const shards = { $range: [0, { $size: '$fences' }] };
    const expiresAt = { $add: ['$$NOW', 60_000] };
    const fences = { $map: { input: '$fences', as: 'fence', in: { $add: ['$$fence', 1] } } };
    const replicas = [{ id: stranger, expiresAt, isLeaving: false, shards }];
    await this.#leases.updateOne({}, [{ $set: { fences, replicas } }]);
  }

  /** Resolves when the replica has noticed that it holds no shard. */
  async waitUntilNoticed(): Promise<void> {
    // The answer to the first renewal shows the change, and the replica has read that answer before it renews again.
    await this.#waitForRenewal();
    await this.#waitForRenewal();
  }

  /** Takes the shards away from the replica that does not exist. */
  async release(): Promise<void> {
    await this.#leases.updateOne({}, [
      {
        $set: {
          replicas: { $filter: { input: '$replicas', cond: { $ne: ['$$this.id', stranger] } } },
        },
      },
    ]);
    this.#announceRelease();
  }

  /** Resolves when the replica has renewed its lease once more. */
  async #waitForRenewal(): Promise<void> {
    const before = await this.#lastRenewal();
    this.#announceRelease();
    await eventually(async () => (await this.#lastRenewal()) > before, { intervalMs: 5 });
  }

  async #lastRenewal(): Promise<number> {
    const { replicas = [] } = (await this.#leases.findOne()) ?? {};
    const others = replicas.filter(({ id }) => id !== stranger);
    return Math.max(0, ...others.map(({ expiresAt }) => expiresAt.getTime()));
  }

  /** Makes the replica renew its lease immediately, and thereby read which shards it holds. */
  #announceRelease(): void {
    this.nats.publish(`${this.natsPrefix}.shards`, '{}');
  }

  get #leases() {
    return this.db.collection<LeaseDocument>('leases');
  }
}

/** Resolves when the replica holds all shards, which it acquires only after it has reported ready. */
export async function whenShardsServed(stack: TestStack): Promise<void> {
  const replica = stack.service('agent-runtime');
  await eventually(async () => (await readMetric(replica, 'daycare_shards_served')) === 64);
}
