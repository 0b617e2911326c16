import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Document } from 'mongodb';
import { ShardStore, type HeldShard } from '../store/shard-store';
import { RenewableLease } from './lease';
import { LeaseTable } from './lease-table';

const shardCount = 6;
const ttlMs = 60_000;
const names = ['a', 'b', 'c'] as const;

const mongo = useFixture(() => testDatabase('lease-model'));

/** What replicas do. A replica that no step names is paused, and resumes with the next step that names it. */
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('renew' as const), replica: fc.constantFrom(...names) }),
  fc.record({
    kind: fc.constant('acquire' as const),
    replica: fc.constantFrom(...names),
    limit: fc.integer({ min: 1, max: shardCount }),
  }),
  fc.record({ kind: fc.constant('release' as const), replica: fc.constantFrom(...names) }),
  fc.record({ kind: fc.constant('withdraw' as const), replica: fc.constantFrom(...names) }),
  /** The response to an acquisition is lost. */
  fc.record({ kind: fc.constant('lose response' as const), replica: fc.constantFrom(...names) }),
  fc.record({
    kind: fc.constant('time' as const),
    ms: fc.constantFrom(ttlMs / 6, ttlMs / 2, ttlMs),
  }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** The leases as each replica sees them, on the real database with a clock that the test moves. */
class World {
  readonly #store: ShardStore;
  readonly #tables = new Map<string, LeaseTable>();
  readonly #highest = new Map<number, number>();
  #nowMs = 0;

  constructor() {
    this.#store = new ShardStore(mongo.db);
    for (const name of names)
      this.#tables.set(name, new LeaseTable({ nowMs: () => this.#nowMs, onLost: () => undefined }));
  }

  async reset(): Promise<void> {
    await mongo.db.collection('leases').deleteMany({});
    await this.#store.ensure(shardCount);
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'time') return this.#pass(step.ms);
    const { replica } = step;
    const table = this.#tables.get(replica)!;
    const deadlineMs = this.#nowMs + ttlMs * 0.9;
    switch (step.kind) {
      case 'renew':
        return table.confirm((await this.#store.renew(replica, ttlMs)).held, deadlineMs);
      case 'acquire':
        return this.#serve(
          table,
          await this.#store.acquire(replica, step.limit, ttlMs),
          deadlineMs,
        );
      case 'lose response':
        await this.#store.acquire(replica, 1, ttlMs);
        return;
      case 'release': {
        const [first] = table.all();
        if (!first) return;
        table.remove(first);
        return this.#store.release(replica, [first]);
      }
      case 'withdraw':
        for (const lease of table.all()) table.remove(lease);
        return this.#store.withdraw(replica);
    }
  }

  /** No shard may have two valid leases. */
  check(): void {
    const holders = new Map<number, string>();
    for (const [name, table] of this.#tables)
      for (const lease of table.all().filter((each) => each.isValid())) {
        expect(holders.get(lease.shard)).toBeUndefined();
        holders.set(lease.shard, name);
      }
  }

  /** Lets all leases expire; then replica `a` alone must be able to acquire every shard. */
  async finish(): Promise<void> {
    await this.#pass(ttlMs);
    const table = this.#tables.get('a')!;
    await this.take({ kind: 'renew', replica: 'a' });
    await this.take({ kind: 'acquire', replica: 'a', limit: shardCount });
    expect(table.all().filter((lease) => lease.isValid())).toHaveLength(shardCount);
    for (const anyTable of this.#tables.values())
      for (const lease of anyTable.all()) anyTable.remove(lease);
  }

  #serve(table: LeaseTable, acquired: readonly HeldShard[], deadlineMs: number): void {
    for (const held of acquired) {
      expect(held.fence).toBeGreaterThan(this.#highest.get(held.shard) ?? 0);
      this.#highest.set(held.shard, held.fence);
      table.add(new RenewableLease(held, deadlineMs, () => this.#nowMs));
    }
  }

  /** Lets time pass for the replicas and for the database. */
  async #pass(ms: number): Promise<void> {
    this.#nowMs += ms;
    const expiresAt = { $subtract: ['$$each.expiresAt', ms] };
    const aged: Document = { $mergeObjects: ['$$each', { expiresAt }] };
    const replicas = { $map: { input: '$replicas', as: 'each', in: aged } };
    await mongo.db.collection('leases').updateOne({}, [{ $set: { replicas } }]);
  }
}

it('no shard ever has two valid holders, fences only grow, and after all leases have expired one replica can acquire every shard', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = new World();
      await world.reset();
      for (const step of steps) {
        await world.take(step);
        world.check();
      }
      await world.finish();
    }),
    { numRuns: 60 },
  );
});
