import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { openTestFiles, readAll } from '../../test-support/test-files';
import { makeUploadFile } from './upload-file';

/** Small, so that a few uploads fill the quota, but large enough for an upload to reserve space in growing steps. */
const unit = 131_072;
const quotaBytes = 64 * unit;

const test = useFixture(() => openTestFiles(quotaBytes));

const tooMuch = { code: 'QUOTA_EXCEEDED' };
const sized = (size: number): Buffer => Buffer.alloc(size);

describe('the upload quota', () => {
  it('an owner and its subusers share an upload quota, however many upload concurrently', async () => {
    const owner = test.newUser();
    const family = [owner, test.newUser(), test.newUser()];
    for (const subuser of family.slice(1)) test.owners.set(subuser, owner);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => test.upload(family[n % 3]!, sized(8 * unit))),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(tooMuch);
    const sizes = await Promise.all(family.map((userId) => test.store.sizeOf(userId)));
    const stored = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(stored).toBeLessThanOrEqual(quotaBytes);
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    expect((await test.stored()).uploads).toBe(0);
  });

  it('retrying an upload uses no quota, and deleting the upload frees its quota', async () => {
    const userId = test.newUser();
    const header = { requestId: createId() };
    const first = await test.upload(userId, sized(32 * unit), header);
    await test.upload(userId, sized(31 * unit));
    await expect(test.upload(userId, sized(2 * unit))).rejects.toMatchObject(tooMuch);
    await expect(test.upload(userId, sized(32 * unit), header)).resolves.toEqual(first);
    const deletion = { userId, requestId: 'bye', fileId: first.file.id };
    await test.delete(deletion);
    await test.delete(deletion);
    await expect(test.delete({ ...deletion, requestId: 'again' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(readAll(test.download(userId, first.file.id))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await test.upload(userId, sized(32 * unit));
  });

  it('a failed upload uses no quota', async () => {
    const userId = test.newUser();
    for (let tries = 0; tries < 3; tries += 1)
      await expect(
        test.upload(userId, sized(30 * unit), { sha256: 'f'.repeat(64) }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await test.upload(userId, sized(32 * unit));
    await test.upload(userId, sized(31 * unit));
  });

  it('an upload that may have been stored when the database failed keeps its quota reserved', async () => {
    const { store, quota } = test;
    const userId = test.newUser();
    const write: typeof store.write = async (...upload) => {
      await store.write(...upload);
      throw new Error('connection lost');
    };
    const files = { write };
    const uploadAndFail = makeUploadFile({ files, quota, newId: createId, now: () => test.now });
    const parts = test.parts(sized(32 * unit));
    await expect(uploadAndFail({ userId, parts })).rejects.toThrow('connection lost');
    await test.upload(userId, sized(unit));
    const found = await test.mongo.db.collection('homes').findOne({ members: userId });
    expect(found!['usedBytes']).toBeGreaterThanOrEqual(33 * unit);
  });

  it('retrying an upload that was deleted in the meantime stores and counts it again', async () => {
    const userId = test.newUser();
    const header = test.header();
    const { file } = await test.upload(userId, sized(unit), header);
    await test.delete({ userId, requestId: 'bye', fileId: file.id });
    const again = await test.upload(userId, sized(unit), header);
    expect(again.file.id).not.toBe(file.id);
    const found = await test.mongo.db.collection('homes').findOne({ members: userId });
    expect(found).toMatchObject({ usedBytes: unit, usedEntries: 1 });
  });
});

describe('stored uploads', () => {
  it('a deleted upload is removed even if messages refer to it, and other uploads that messages refer to are kept', async () => {
    const userId = test.newUser();
    const [kept, deleted] = [
      await test.upload(userId, sized(10)),
      await test.upload(userId, sized(10)),
    ];
    await test.store.markReferenced(userId, [kept.file.id, deleted.file.id]);
    await test.delete({ userId, requestId: 'bye', fileId: deleted.file.id });
    expect(await test.store.markReferenced(userId, [deleted.file.id])).toBe(false);
    test.now = new Date(test.now.getTime() + 48 * 60 * 60_000);
    await test.collect();
    const remaining = test.mongo.db.collection('files.files').find({ 'metadata.userId': userId });
    expect((await remaining.toArray()).map(({ _id }) => String(_id))).toEqual([kept.file.id]);
    expect(await test.read(userId, kept.file.id)).toEqual(sized(10));
  });

  it('a user’s uploads are listed newest first, without deleted ones or other users’ uploads', async () => {
    const userId = test.newUser();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      test.now = new Date(test.now.getTime() + 1_000);
      ids.unshift((await test.upload(userId, sized(1), { name })).file.id);
    }
    await test.upload(test.newUser(), sized(1));
    await test.delete({ userId, requestId: 'bye', fileId: ids[1]! });
    const first = await test.list({ userId, pageSize: 1, pageToken: '' });
    const second = await test.list({ userId, pageSize: 1, pageToken: first.nextPageToken });
    expect([...first.files, ...second.files].map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect(second.nextPageToken).toBe('');
    const stranger = test.delete({ userId: test.newUser(), requestId: 'x', fileId: ids[0]! });
    await expect(stranger).rejects.toMatchObject({ code: 'NOT_FOUND' });
    test.now = new Date(test.now.getTime() + 48 * 60 * 60_000);
    await test.collect();
    const documents = test.mongo.db.collection('files.files');
    expect(await documents.countDocuments({ 'metadata.userId': userId })).toBe(0);
  });
});
