import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@paralleldrive/cuid2';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { goneUserIndexes, GoneUserStore } from '@daycare/service-kit';
import { openHomes } from '../home/open-homes';
import type { UserHomes } from '../home/user-homes';
import { homeIndexes, HomeStore } from '../store/home-store';

const silent = { info: () => undefined } as unknown as Parameters<typeof openHomes>[2]['log'];

/** Users' directories beside a tree that none of them may reach. Call `close` at the end. */
export class TestHomes {
  readonly homeUse: HomeStore;
  readonly goneUsers: GoneUserStore;
  readonly usersDir: string;
  readonly outside: string;
  now = new Date();

  private constructor(
    readonly mongo: MongoConnection,
    readonly folder: string,
  ) {
    this.homeUse = new HomeStore(mongo.db);
    this.goneUsers = new GoneUserStore(mongo.db);
    this.usersDir = join(folder, 'users');
    this.outside = join(folder, 'outside');
  }

  static async open(): Promise<TestHomes> {
    const mongo = await testDatabase('homes');
    await ensureIndexes(mongo.db, [homeIndexes, goneUserIndexes]);
    const homes = new TestHomes(mongo, await mkdtemp(join(tmpdir(), 'daycare-homes-')));
    await mkdir(join(homes.outside, 'folder', 'empty'), { recursive: true });
    for (const name of ['canary.txt', 'folder/canary.txt', 'canary.md'])
      await writeFile(join(homes.outside, name), canary);
    return homes;
  }

  /** As a replica has it. */
  async replica(homeQuotaBytes = 1024 * 1024, homeEntries = 10_000): Promise<UserHomes> {
    const { homeUse, goneUsers } = this;
    const deps = { homeUse, goneUsers, now: () => this.now };
    const config = { usersDir: this.usersDir, homeQuotaBytes, homeEntries };
    const homes = await openHomes(config, deps, { log: silent });
    return homes!;
  }

  /** A user with a directory, and where that is. */
  async newUser(homes: UserHomes): Promise<{ userId: string; directory: string }> {
    const userId = createId();
    await homes.ensure(userId);
    return { userId, directory: await homes.directoryOf(userId) };
  }

  async close(): Promise<void> {
    await this.mongo.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** What stands in every file that nobody may read. */
export const canary = 'the canary sings';

/** Names, modes, times and contents of all that is below a folder. */
export function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const entry = lstatSync(path);
    hash.update(JSON.stringify([name, entry.mode, entry.size, entry.mtimeMs]));
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
