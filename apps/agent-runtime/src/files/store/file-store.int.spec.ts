import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { maxFileBytes } from '../domain/stored-file';
import { newGate, openTestFiles, type TestFiles } from '../../test-support/test-files';
import type { UploadPart } from '../usecases/upload-file';

let test: TestFiles;
beforeEach(async () => {
  test = await openTestFiles();
});
afterEach(() => test.close());

const dayMs = 24 * 60 * 60 * 1000;
const nothing = { files: 0, chunks: 0, uploads: 0 };
const passTime = (ms: number): void => {
  test.now = new Date(test.now.getTime() + ms);
};
const uploadOne = async (userId: string): Promise<string> =>
  (await test.upload(userId, randomBytes(600_000))).file.id;

/** An upload that pauses after two GridFS chunks until `proceed` is called. */
async function pausedUpload(userId: string) {
  const gate = newGate();
  async function* slowly(): AsyncGenerator<UploadPart> {
    yield* test.parts(randomBytes(600_000));
    await gate.opened;
  }
  const { chunks } = await test.stored();
  const answer = test.uploadParts({ userId, parts: slowly() });
  answer.catch(() => undefined);
  await eventually(async () => (await test.stored()).chunks === chunks + 2);
  return { answer, proceed: gate.open };
}

describe('the file store', () => {
  it('finds the user’s own files in the order requested and omits all others', async () => {
    const [ada, bob] = [test.newUser(), test.newUser()];
    const [one, two, foreign] = [await uploadOne(ada), await uploadOne(ada), await uploadOne(bob)];
    const found = await test.store.findMany(ada, [two, foreign, createId(), one]);
    expect(found.map(({ id }) => id)).toEqual([two, one]);
    expect(found[0]).toEqual({
      id: two,
      name: 'a.bin',
      mimeType: 'application/octet-stream',
      size: 600_000,
    });
  });

  it('fails a download when chunks are missing, rather than returning part of the file', async () => {
    const userId = test.newUser();
    const id = await uploadOne(userId);
    await test.mongo.db.collection('files.chunks').deleteOne({ n: 2 });
    await expect(test.read(userId, id)).rejects.toThrow('ended after');
  });
});

describe('the cleanup of unreferenced files', () => {
  it('deletes files that stay unreferenced for a day, including their chunks', async () => {
    const userId = test.newUser();
    for (let count = 0; count < 2; count += 1) await uploadOne(userId);
    await test.upload(userId, randomBytes(maxFileBytes));
    passTime(dayMs + 1);
    await expect(test.collect()).resolves.toBe(3);
    await expect(test.stored()).resolves.toEqual(nothing);
  });

  it('deletes all unreferenced files in one run, however many there are', async () => {
    const userId = test.newUser();
    for (let count = 0; count < 120; count += 1) await test.upload(userId, Buffer.from('x'));
    passTime(dayMs + 1);
    await expect(test.collect()).resolves.toBe(120);
    await expect(test.stored()).resolves.toEqual(nothing);
  });

  it('keeps referenced files and files younger than a day', async () => {
    const userId = test.newUser();
    const referenced = await uploadOne(userId);
    await expect(test.store.markReferenced(userId, [referenced, referenced])).resolves.toBe(true);
    passTime(dayMs + 1);
    const young = await uploadOne(userId);
    passTime(dayMs);
    await expect(test.collect()).resolves.toBe(0);
    await expect(test.read(userId, referenced)).resolves.toHaveLength(600_000);
    await expect(test.read(userId, young)).resolves.toHaveLength(600_000);
  });

  it('deletes the chunks of an unfinished upload after a day', async () => {
    const { answer, proceed } = await pausedUpload(test.newUser());
    await expect(test.collect()).resolves.toBe(0);
    expect((await test.stored()).chunks).toBe(2);
    passTime(dayMs + 1);
    await expect(test.collect()).resolves.toBe(1);
    await expect(test.stored()).resolves.toEqual(nothing);
    proceed();
    await expect(answer).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expect(test.stored()).resolves.toEqual(nothing);
  });

  it('keeps a complete file whose upload was interrupted just before removing the marker of an unfinished upload', async () => {
    const userId = test.newUser();
    const id = await uploadOne(userId);
    await test.store.markReferenced(userId, [id]);
    const uploads = test.mongo.db.collection<{ _id: string; startedAt: Date }>('file_uploads');
    await uploads.insertOne({ _id: id, startedAt: test.now });
    passTime(dayMs + 1);
    await test.collect();
    await expect(test.read(userId, id)).resolves.toHaveLength(600_000);
    await expect(test.stored()).resolves.toMatchObject({ files: 1, uploads: 0 });
  });

  it('concurrent cleanups leave no chunks behind, and files marked as referenced in the meantime stay complete', async () => {
    const userId = test.newUser();
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push(await uploadOne(userId));
    passTime(dayMs + 1);
    const marks = ids.map((id) => test.store.markReferenced(userId, [id]));
    const [kept] = await Promise.all([Promise.all(marks), test.collect(), test.collect()]);
    const remaining = ids.filter((_, index) => kept[index]);
    for (const id of remaining) await expect(test.read(userId, id)).resolves.toHaveLength(600_000);
    await expect(test.stored()).resolves.toEqual({
      files: remaining.length,
      chunks: 3 * remaining.length,
      uploads: 0,
    });
  });
});

describe('marking files as referenced', () => {
  it('returns false for a missing or another user’s file, and does not mark another user’s file', async () => {
    const [ada, bob] = [test.newUser(), test.newUser()];
    const [own, foreign] = [await uploadOne(ada), await uploadOne(bob)];
    await expect(test.store.markReferenced(ada, [own, createId()])).resolves.toBe(false);
    await expect(test.store.markReferenced(ada, [foreign])).resolves.toBe(false);
    await expect(test.store.markReferenced(ada, [])).resolves.toBe(true);
    passTime(dayMs + 1);
    await test.collect();
    await expect(test.store.findMany(bob, [foreign])).resolves.toEqual([]);
    await expect(test.store.findMany(ada, [own])).resolves.toHaveLength(1);
  });

  it('files are no longer marked as referenced if the transaction that marked them is aborted', async () => {
    const userId = test.newUser();
    const id = await uploadOne(userId);
    await test.mongo.client.withSession(async (session) => {
      session.startTransaction();
      await test.store.markReferenced(userId, [id], session);
      await session.abortTransaction();
    });
    passTime(dayMs + 1);
    await expect(test.collect()).resolves.toBe(1);
  });
});

it('deleting a user’s files does not delete other users’ files', async () => {
  const [ada, bob] = [test.newUser(), test.newUser()];
  const [own, foreign] = [await uploadOne(ada), await uploadOne(bob)];
  await test.store.markReferenced(ada, [own]);
  await expect(test.store.deleteByUser(ada)).resolves.toBe(1);
  await expect(test.stored()).resolves.toEqual({ files: 1, chunks: 3, uploads: 0 });
  await expect(test.read(bob, foreign)).resolves.toHaveLength(600_000);
});

it('every file query uses an index and sorts nothing in memory', async () => {
  const userId = test.newUser();
  const operations = ['query', 'getmore', 'update', 'remove'];
  // Makes the driver check, as it does once per process, whether the bucket is empty: that query is not ours.
  const refused = test.upload(userId, randomBytes(600_000), { sha256: '0'.repeat(64) });
  await expect(refused).rejects.toThrow('sha256');
  // The inserts would push the other operations out of a profile of the default size.
  await test.mongo.db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await test.mongo.db.command({ profile: 2 });
  const [id, other] = [await uploadOne(userId), await uploadOne(userId)];
  await test.read(userId, (await test.upload(userId, randomBytes(1_500_000))).file.id);
  await test.store.findMany(userId, [id, other]);
  await test.store.markReferenced(userId, [id, other]);
  await uploadOne(userId);
  await expect(test.upload(userId, Buffer.from('x'), { sha256: '0'.repeat(64) })).rejects.toThrow();
  await pausedUpload(userId);
  passTime(dayMs + 1);
  await test.collect();
  await test.store.deleteByUser(userId);
  await test.mongo.db.command({ profile: 0 });
  const profiled: Document[] = await test.mongo.db
    .collection('system.profile')
    .find({ ns: /\.(files\.files|files\.chunks|file_uploads)$/, op: { $in: operations } })
    .toArray();
  const plans = profiled.map(
    ({ ns, op, planSummary }) => `${ns.split('.').slice(1).join('.')} ${op} ${planSummary}`,
  );
  expect(new Set(profiled.map(({ op }) => op))).toEqual(new Set(operations));
  expect(plans.filter((plan) => !/(IXSCAN|IDHACK|EXPRESS_)/.test(plan))).toEqual([]);
  expect(profiled.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
});
