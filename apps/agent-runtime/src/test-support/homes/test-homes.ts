import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { deletedUserIndexes, DeletedUserStore } from '@daycare/service-kit';
import { openHomes } from '../../homes/usecases/open-homes';
import type { UserHomes } from '../../homes/usecases/user-homes';
import { homeIndexes, HomeStore, type HomeUsage } from '../../homes/store/home-store';
import { programTraceIndexes, ProgramTraceStore } from '../../homes/store/program-trace-store';
import { provenanceIndexes, ProvenanceStore } from '../../homes/store/provenance-store';
import type { ToolLedger } from '../../tools/ports/ledger';
import { toolCallIndexes, ToolCallStore } from '../../tools/store/tool-call-store';
import { makeToolLedger } from '../../tools/usecases/keep-ledger';

const silent = { info: () => undefined } as unknown as Parameters<typeof openHomes>[2]['log'];

/** Users' directories, and next to them a folder that must be unreachable from them. Call `close` at the end. */
export class TestHomes {
  readonly homeUsage: HomeStore;
  readonly provenanceRows: ProvenanceStore;
  readonly programTraces: ProgramTraceStore;
  readonly deletedUsers: DeletedUserStore;
  readonly usersDir: string;
  readonly outside: string;
  now = new Date();
  /** The owner of each subuser, by id. */
  readonly owners = new Map<string, string>();
  readonly ownerOf = async (userId: string): Promise<string> => this.owners.get(userId) ?? userId;

  private constructor(
    readonly mongo: MongoConnection,
    readonly folder: string,
  ) {
    this.homeUsage = new HomeStore(mongo.db);
    this.provenanceRows = new ProvenanceStore(mongo.db);
    this.programTraces = new ProgramTraceStore(mongo.db);
    this.deletedUsers = new DeletedUserStore(mongo.db);
    this.usersDir = join(folder, 'users');
    this.outside = join(folder, 'outside');
  }

  static async open(): Promise<TestHomes> {
    const mongo = await testDatabase('homes');
    const homesIndexes = [homeIndexes, provenanceIndexes, programTraceIndexes];
    await ensureIndexes(mongo.db, [...homesIndexes, deletedUserIndexes, toolCallIndexes]);
    const homes = new TestHomes(mongo, await mkdtemp(join(tmpdir(), 'daycare-homes-')));
    await mkdir(join(homes.outside, 'folder', 'empty'), { recursive: true });
    for (const name of ['canary.txt', 'folder/canary.txt', 'canary.md'])
      await writeFile(join(homes.outside, name), canary);
    return homes;
  }

  /** Like `open`, but also opens one replica's homes. */
  static async openWith(
    quotaBytes: number,
    maxEntries?: number,
  ): Promise<{ test: TestHomes; homes: UserHomes }> {
    const test = await TestHomes.open();
    return { test, homes: await test.replica(quotaBytes, maxEntries) };
  }

  /** Opens the homes as another replica would. */
  async replica(homeQuotaBytes = 1024 * 1024, homeEntries = 10_000): Promise<UserHomes> {
    const { homeUsage, provenanceRows, programTraces, deletedUsers } = this;
    const deps = {
      homeUsage,
      provenanceRows,
      programTraces,
      deletedUsers,
      now: () => this.now,
      ownerOf: this.ownerOf,
    };
    const config = { usersDir: this.usersDir, homeQuotaBytes, homeEntries };
    const homes = await openHomes(config, deps, { log: silent });
    return homes!;
  }

  /** The stored usage of a user's directory. */
  async usageOf(userId: string): Promise<HomeUsage | undefined> {
    return this.homeUsage.find({ ownerId: await this.ownerOf(userId), userId });
  }

  /** One replica's tool ledger. */
  ledger(): ToolLedger {
    return makeToolLedger({ toolCalls: new ToolCallStore(this.mongo.db), now: () => this.now });
  }

  /** Sets the clock to now, opens the homes as another replica would, and creates a user with a home. */
  async newHome(): Promise<{ homes: UserHomes; userId: string; home: string }> {
    this.now = new Date();
    const homes = await this.replica();
    const { userId, directory } = await this.newUser(homes);
    return { homes, userId, home: join(directory, 'home') };
  }

  /** Creates a user with a directory; returns the user's id and the directory's path. */
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

/** The content of every file that must not be readable. */
export const canary = 'the canary sings';

/** A hash of the names, modes, sizes, times and contents of everything below a folder. */
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
