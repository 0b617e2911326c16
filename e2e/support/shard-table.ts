import type { NatsHandle } from '@daycare/messaging';
import type { MongoConnection } from '@daycare/mongo';
import { eventually, type TestStack } from '@daycare/testing';

interface ShardRow {
  readonly _id: number;
  readonly holder?: string;
  readonly expiresAt: Date;
}

interface ReplicaRow {
  readonly _id: string;
  readonly expiresAt: Date;
}

const past = new Date(0);

/** The leases of agent-runtime as they are in the database, to do there what other replicas would. */
export class ShardTable {
  constructor(
    private readonly db: MongoConnection['db'],
    private readonly nats: NatsHandle['connection'],
    private readonly natsPrefix: string,
  ) {}

  /** Makes it later: whatever a replica that has died held is free. */
  async expire(): Promise<void> {
    await this.#replicas.deleteMany({});
    await this.#shards.updateMany({}, { $set: { expiresAt: past } });
  }

  /** Has another replica hold all shards. */
  async lend(): Promise<void> {
    const expiresAt = { $add: ['$$NOW', 60_000] };
    const taken = { holder: 'another', fence: { $add: ['$fence', 1] }, expiresAt };
    await this.#shards.updateMany({}, [{ $set: taken }]);
  }

  /** Resolves when the replica knows that it holds nothing any more. */
  async seeLent(): Promise<void> {
    // It shows itself first and looks at its shards then, time and again.
    await this.#seeReplica();
    await this.#seeReplica();
  }

  /** Has the other replica leave. */
  async release(): Promise<void> {
    await this.#shards.updateMany({}, { $unset: { holder: true }, $set: { expiresAt: past } });
    this.#announceRelease();
  }

  /** Resolves when the replica has shown once more that it lives. */
  async #seeReplica(): Promise<void> {
    const before = await this.#lastShown();
    this.#announceRelease();
    await eventually(async () => (await this.#lastShown()) > before, { intervalMs: 5 });
  }

  async #lastShown(): Promise<number> {
    const last = await this.#replicas.find().sort({ expiresAt: -1 }).limit(1).next();
    return last?.expiresAt.getTime() ?? 0;
  }

  /** Replicas look at the shards at once when they hear this. */
  #announceRelease(): void {
    this.nats.publish(`${this.natsPrefix}.shards`, '{}');
  }

  get #shards() {
    return this.db.collection<ShardRow>('shards');
  }

  get #replicas() {
    return this.db.collection<ReplicaRow>('replicas');
  }
}

/** A replica takes its shards when it has said already that it is ready. */
export async function seeShardsServed(stack: TestStack): Promise<void> {
  const { httpAddress } = stack.service('agent-runtime').current;
  await eventually(
    async () => {
      const metrics = await (await fetch(`http://${httpAddress}/metrics`)).text();
      return /^daycare_shards_served\S* 64$/m.test(metrics);
    },
    { timeoutMs: 20_000 },
  );
}
