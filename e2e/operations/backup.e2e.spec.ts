import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import { createId } from '@daycare/api/create-id';
import { MessageStatus } from '@daycare/contracts/social-graph';
import {
  readBson,
  restoreBackup,
  serviceNames,
  verifyBackup,
  type Manifest,
} from '@daycare/local-stack';
import { connectMongo } from '@daycare/mongo';
import { eventually, uniqueName, type EmptyStack } from '@daycare/testing';
import { Cli } from '../support/cli/cli';
import { SteadySenders, type SenderProgress } from '../support/load/steady-senders';
import { backupOptions, backupSource, writeCredentials } from '../support/operations/backups';
import {
  converse,
  describeHousehold,
  fillHousehold,
  type Household,
} from '../support/operations/household';
import type { Person } from '../support/people/people';
import { startStack, type Stack } from '../support/stack/stack';
import { useSharedStack } from '../support/stack/use-stack';

const source = useSharedStack();

let folder: string;
let cli: Cli | undefined;
let household: Household;
let senders: SteadySenders;
let progressBefore: readonly SenderProgress[];
let credentials: string;
let manifest: Manifest;
let inFlightId: string;
let sender: Person;
let copy: Stack;
let started: Stack | undefined;

const backup = (): string => join(folder, 'backup');

/** Runs `daycare backup` or `daycare restore`; a failure shows the command's error output. */
async function run(verb: 'backup' | 'restore', stack: EmptyStack, keys: string): Promise<string> {
  const argv = [verb, backup(), ...backupOptions(stack, keys)];
  const { code, stdout, stderr } = await cli!.run(argv, {
    env: { DAYCARE_MONGO_URL: stack.mongoUrl },
  });
  // Backups exit with 7 because they lack the vault key, which the stack has only in its environment.
  expect([code, stderr]).toEqual([verb === 'backup' ? 7 : 0, '']);
  return stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daycare-backup-'));
  cli = await Cli.open(source);
  credentials = await writeCredentials(source);
  household = await fillHousehold(source);
  senders = new SteadySenders(source);
  await senders.prepare(3);
  await senders.sendThrough(async () => {
    await senders.whenMoreAcknowledged();
    progressBefore = senders.progress();
    await backUpWithMessageInFlight();
    await senders.whenMoreAcknowledged();
  });
  manifest = await verifyBackup(backup());
  started = copy = await startStack({
    credentials: source.credentials,
    replicas: { 'agent-runtime': 2 },
    async prepare(empty) {
      await run('restore', empty, join(empty.folder, 'keys', 'credentials.json'));
      await expectSameDocuments(empty);
    },
  });
}, 300_000);
afterAll(async () => {
  await started?.stop();
  await cli?.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/**
 * Makes a backup. Delivery is paused until the first documents have been read, because the backup's point in time is
 * fixed by then.
 */
async function backUpWithMessageInFlight(): Promise<void> {
  const [cyd, dan] = await source.people.newFriends();
  const runtimes = [0, 1].map((replica) => source.service('agent-runtime', replica));
  for (const runtime of runtimes) runtime.pause();
  try {
    const request = { requestId: createId(), nametag: dan.nametag, message: 'In flight' };
    inFlightId = (await source.graph.sendFriendMessage(request, cyd.as)).messageId;
    sender = cyd;
    const backingUp = run('backup', source, credentials);
    const written = join(backup(), 'databases/identity');
    const hasRead = () => existsSync(written) && readdirSync(written).length > 1;
    await Promise.race([backingUp, eventually(hasRead)]);
    for (const runtime of runtimes) runtime.resume();
    await backingUp;
  } finally {
    for (const runtime of runtimes) runtime.resume();
  }
}

/** Expects the databases to contain exactly the backup's documents, apart from their `expiresAt`. */
async function expectSameDocuments({ mongoUrl, databaseOf }: EmptyStack): Promise<void> {
  const mongo = await connectMongo({ url: mongoUrl, database: 'x', appName: 'test' });
  try {
    for (const part of manifest.collections) {
      const backedUp: string[] = [];
      for await (const bytes of readBson(backup(), part.file)) backedUp.push(comparableText(bytes));
      const restored = await mongo.client
        .db(databaseOf(part.service as 'identity'))
        .collection(part.collection)
        .find<Buffer>({}, { raw: true })
        .map(comparableText)
        .toArray();
      expect([part.collection, restored.sort()]).toEqual([part.collection, backedUp.sort()]);
    }
  } finally {
    await mongo.close();
  }
}

/** Returns a document as text without `expiresAt`, the one field that a restore changes on purpose. */
function comparableText(bytes: Uint8Array): string {
  const { expiresAt: _, ...document } = BSON.deserialize(bytes, { promoteValues: false });
  return BSON.EJSON.stringify(document, { relaxed: false });
}

describe('a backup of a stack under load', () => {
  it('a backup lists its parts and contains messages that were in flight', async () => {
    expect(manifest).toMatchObject({ format: 1, keys: [{ file: 'keys/credentials.json' }] });
    expect(manifest.clusterTime).toMatch(/^\d+$/);
    expect(new Set(manifest.collections.map(({ service }) => service)).size).toBe(4);
    const open: string[] = [];
    for await (const bytes of readBson(backup(), 'databases/social-graph/outbox.bson.gz')) {
      const row = BSON.deserialize(bytes) as { _id: string; open?: boolean };
      if (row.open) open.push(row._id);
    }
    expect(open).toContain(inFlightId);
  });

  it('a restored stack shows the same users, ties, message status, history, memory, files and crons as the original, and has its credentials', async () => {
    expect(await describeHousehold(copy, household)).toEqual(
      await describeHousehold(source, household),
    );
    expect(await readFile(join(copy.folder, 'keys', 'credentials.json'))).toEqual(
      await readFile(credentials),
    );
  });

  it('a restored stack delivers messages that were in flight once and in order, although its NATS starts empty', async () => {
    await senders.expectDelivered();
    await senders.expectDeliveredIn(copy, progressBefore);
    const status = await copy.graph.getMessageStatus({ messageId: inFlightId }, sender.as);
    expect(status).toMatchObject({ status: MessageStatus.DELIVERED });
    const received = { _id: { $regex: `/${inFlightId}$` } };
    expect(
      await copy
        .db('agent-runtime')
        .collection<{ _id: string }>('inbox')
        .countDocuments(received as never),
    ).toBe(1);
  });

  it('a conversation can continue on a restored stack', async () => {
    await converse(copy, household, 'Still there?');
  });
});

describe('daycare backup', () => {
  /** Root can read everything; without these capabilities, it can read only what the file modes allow. */
  const withoutRootAccess =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

  it('daycare backup saves what it can read, lists unreadable files and missing keys, and exits with 7', async () => {
    const users = join(folder, 'users');
    await mkdir(join(users, 'ada/closed'), { recursive: true });
    for (const name of ['ada/secret', 'ada/text', 'ada/closed/inside'])
      await writeFile(join(users, name), name);
    for (const name of ['ada/secret', 'ada/closed']) await chmod(join(users, name), 0);
    const partial = join(folder, 'partial');
    await mkdir(partial, { mode: 0o755 });
    const databases = serviceNames.map((name) => `--database=${name}=${source.databaseOf(name)}`);
    const { code, stdout } = await cli!.run(
      ['backup', partial, ...databases, '--users-dir', users],
      { env: { ...process.env, DAYCARE_MONGO_URL: source.mongoUrl }, launcher: withoutRootAccess },
    );
    expect([code, stdout.split('\n').slice(1)]).toEqual([
      7,
      [
        expect.stringMatching(/^NOT IN THIS BACKUP: vault-key/),
        expect.stringMatching(/^NOT IN THIS BACKUP: credentials.json/),
        expect.stringMatching(/^NOT READ: 2 user files .*: ada\/closed, ada\/secret$/),
        '',
      ],
    ]);
    expect((await stat(partial)).mode & 0o777).toBe(0o700);
    const { users: part } = await verifyBackup(partial);
    expect(part).toMatchObject({ unread: ['ada/closed', 'ada/secret'] });
    const names: string[] = [];
    for await (const bytes of readBson(partial, part!.file)) {
      const { path } = BSON.deserialize(bytes) as { path?: { buffer: Uint8Array } };
      if (path) names.push(Buffer.from(path.buffer).toString());
    }
    expect(names).toEqual(['ada', 'ada/text']);
  });
});

describe('daycare restore', () => {
  const restoreTo = (from: string): Promise<Manifest> =>
    restoreBackup(from, backupSource(copy, join(copy.folder, 'keys', 'credentials.json')));
  const changedCopy = async (name: string, change: (copied: string) => Promise<void>) => {
    const copied = join(folder, name);
    await cp(backup(), copied, { recursive: true });
    await change(copied);
    return copied;
  };

  it('daycare restore refuses a stack that is not empty', async () => {
    await expect(restoreTo(backup())).rejects.toThrow(/not empty/);
  });

  it('daycare restore refuses a backup that is incomplete, damaged or in a newer format', async () => {
    const incomplete = await changedCopy('incomplete', (copied) =>
      rm(join(copied, 'manifest.json')),
    );
    await expect(restoreTo(incomplete)).rejects.toThrow(/not a complete backup/);
    const changed = await changedCopy('changed', (copied) =>
      appendFile(join(copied, manifest.collections[0]!.file), 'x'),
    );
    await expect(restoreTo(changed)).rejects.toThrow(/is damaged/);
    const newer = await changedCopy('newer', (copied) =>
      writeFile(join(copied, 'manifest.json'), JSON.stringify({ ...manifest, format: 2 })),
    );
    await expect(restoreTo(newer)).rejects.toThrow(/format 2; this version reads formats up to 1/);
  });

  it('a restoration that fails while it writes users’ files leaves every database marked as being restored', async () => {
    const usersDir = join(folder, 'link-to-nowhere');
    await symlink(join(folder, 'absent', 'users'), usersDir);
    const target = backupSource(copy, credentials);
    const databases = serviceNames.map((service) => ({ service, database: uniqueName(service) }));
    const restore = () => restoreBackup(backup(), { ...target, databases, usersDir });
    await expect(restore()).rejects.toThrow(usersDir);
    await expect(restore()).rejects.toThrow('is not empty (format)');
    const mongo = await connectMongo({ url: copy.mongoUrl, database: 'x', appName: 'test' });
    try {
      for (const { database } of databases) {
        const marks = await mongo.client.db(database).collection('format').find().toArray();
        expect(marks).toEqual([{ _id: 'restoring' }]);
        await mongo.client.db(database).dropDatabase();
      }
    } finally {
      await mongo.close();
    }
  });

  it('daycare restore refuses to overwrite a key file that differs from the one in the backup', async () => {
    const otherKeys = join(folder, 'other.json');
    await writeFile(otherKeys, '{}');
    await expect(restoreBackup(backup(), backupSource(copy, otherKeys))).rejects.toThrow(
      /a different key/,
    );
  });
});
