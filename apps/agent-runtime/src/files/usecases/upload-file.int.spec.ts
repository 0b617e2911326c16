import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@paralleldrive/cuid2';
import { toAppError } from '@daycare/api';
import { toGrpcStatus } from '@daycare/rpc';
import { newGate, openTestFiles, readAll, sha256Of } from '../../test-support/test-files';
import { makeUploadFile, type UploadPart } from './upload-file';

const test = useFixture(openTestFiles);

const mebibyte = 1_048_576;
const most = 32 * mebibyte;

/** Sends these parts, and reports how many were read and whether the source was closed early. */
function watched(parts: readonly UploadPart[], failure?: Error) {
  const seen = { read: 0, closed: false };
  async function* send(): AsyncGenerator<UploadPart> {
    try {
      for (const part of parts) {
        seen.read += 1;
        yield part;
      }
      if (failure) throw failure;
    } finally {
      seen.closed = true;
    }
  }
  return { seen, parts: send() };
}

async function expectRefused(parts: AsyncIterable<UploadPart>, message: string): Promise<void> {
  const before = await test.stored();
  const [field = '', ...description] = message.split(' ');
  await expect(test.uploadParts({ userId: test.newUser(), parts })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining([field.replace('_', ' '), ...description].join(' ')),
    details: { fields: [expect.objectContaining({ field })] },
  });
  await expect(test.stored()).resolves.toEqual(before);
}

describe('uploading a file', () => {
  it.each([0, 1, 255 * 1024, 300 * 1024, most])(
    'a file of %d bytes comes back unchanged',
    async (size) => {
      const userId = test.newUser();
      const bytes = randomBytes(size);
      const sha256 = sha256Of(bytes);
      const uploaded = await test.upload(userId, bytes, { name: 'Größe.bin', sha256 });
      expect(uploaded).toMatchObject({ file: { name: 'Größe.bin', size }, sha256 });
      const [header] = await readAll(test.download(userId, uploaded.file.id));
      expect(header).toEqual({ header: uploaded });
      expect(sha256Of(await test.read(userId, uploaded.file.id))).toBe(sha256);
      expect((await test.stored()).uploads).toBe(0);
    },
  );

  it('a file comes back in chunks of at most 256 KiB', async () => {
    const userId = test.newUser();
    const { file } = await test.upload(userId, randomBytes(3 * mebibyte));
    const [, ...chunks] = await readAll(test.download(userId, file.id));
    const sizes = chunks.map((part) => ('chunk' in part ? part.chunk.length : 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(file.size);
  });

  it('the type is detected from the content', async () => {
    const page = Buffer.from('<!doctype html><p>Hello');
    const { file } = await test.upload(test.newUser(), page, { mimeType: 'image/png' });
    expect(file.mimeType).toBe('text/html');
  });

  it('the type is detected even when the first bytes arrive one by one', async () => {
    const bytes = [...Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')];
    const chunks = bytes.map((byte) => ({ chunk: Uint8Array.of(byte) }));
    const { parts } = watched([{ header: test.header() }, ...chunks]);
    const { file } = await test.uploadParts({ userId: test.newUser(), parts });
    expect(file).toMatchObject({ mimeType: 'image/png', size: 8 });
  });

  it('other users get the same answer as for a file that never existed', async () => {
    const { file } = await test.upload(test.newUser(), randomBytes(10));
    const [foreign, absent] = await Promise.all(
      [file.id, createId()].map((id) =>
        test.read(test.newUser(), id).catch((error: unknown) => toGrpcStatus(toAppError(error))),
      ),
    );
    expect(foreign).toMatchObject({ code: 5, details: 'File not found' });
    expect(foreign).toEqual(absent);
  });
});

describe('a refused upload stores nothing:', () => {
  it('refuses a file one byte too large without reading the rest', async () => {
    const full = { chunk: randomBytes(mebibyte) };
    const chunks = [...Array.from({ length: 32 }, () => full), { chunk: randomBytes(1) }];
    const { parts, seen } = watched([{ header: test.header() }, ...chunks, full, full]);
    await expectRefused(parts, 'chunk must be at most 33554432 bytes in total');
    expect(seen).toEqual({ read: 34, closed: true });
  });

  it('refuses a chunk of more than 1 MiB', async () => {
    const chunks = [{ chunk: randomBytes(mebibyte) }, { chunk: randomBytes(mebibyte + 1) }];
    const { parts } = watched([{ header: test.header() }, ...chunks]);
    await expectRefused(parts, 'chunk must be at most 1048576 bytes');
  });

  it('refuses content that does not match the expected hash', async () => {
    const bytes = randomBytes(700_000);
    const parts = test.parts(bytes, { sha256: sha256Of(randomBytes(1)) });
    await expectRefused(parts, `sha256 does not match, got ${sha256Of(bytes)}`);
  });

  it('refuses an empty stream', () =>
    expectRefused(watched([]).parts, 'header must be sent first'));

  it('refuses a chunk before the header', async () => {
    const { parts, seen } = watched([{ chunk: randomBytes(1) }, { header: test.header() }]);
    await expectRefused(parts, 'header must be sent first');
    expect(seen).toEqual({ read: 1, closed: true });
  });

  it('refuses a second header', async () => {
    const header = { header: test.header() };
    const { parts } = watched([header, { chunk: randomBytes(300_000) }, header]);
    await expectRefused(parts, 'header must be sent only once');
  });

  it.each([
    [{ requestId: '' }, 'request_id is required'],
    [{ requestId: 'a b' }, 'request_id must be'],
    [{ name: '' }, 'name is required'],
    [{ name: '../a' }, 'name must not contain /'],
    [{ sha256: 'abc' }, 'sha256 must be 64'],
    [{ sha256: 'A'.repeat(64) }, 'sha256 must be 64'],
  ])('refuses a header with %p', (header, message) =>
    expectRefused(test.parts(randomBytes(10), header), message),
  );

  it('fails when the source fails half-way', async () => {
    const before = await test.stored();
    const chunks = [{ chunk: randomBytes(mebibyte) }, { chunk: randomBytes(100) }];
    const { parts } = watched([{ header: test.header() }, ...chunks], new Error('disconnected'));
    const upload = test.uploadParts({ userId: test.newUser(), parts });
    await expect(upload).rejects.toThrow('disconnected');
    await expect(test.stored()).resolves.toEqual(before);
  });
});

describe('the request id of an upload', () => {
  const requestId = 'r1';

  it('a retry returns the first file and stores nothing', async () => {
    const userId = test.newUser();
    const bytes = randomBytes(600_000);
    const first = await test.upload(userId, bytes, { requestId });
    const before = await test.stored();
    await expect(test.upload(userId, bytes, { requestId })).resolves.toEqual(first);
    await expect(test.stored()).resolves.toEqual(before);
  });

  it('a request id is refused for other content or another name', async () => {
    const userId = test.newUser();
    const bytes = randomBytes(100);
    await test.upload(userId, bytes, { requestId });
    const before = await test.stored();
    const other = [
      test.upload(userId, randomBytes(100), { requestId }),
      test.upload(userId, bytes, { requestId, name: 'b.bin' }),
    ];
    const refused = { code: 'REQUEST_ID_REUSED' };
    await Promise.all(other.map((upload) => expect(upload).rejects.toMatchObject(refused)));
    await expect(test.stored()).resolves.toEqual(before);
  });

  it('request ids are separate per user', async () => {
    const bytes = randomBytes(100);
    const [one, other] = await Promise.all(
      [0, 1].map(() => test.upload(test.newUser(), bytes, { requestId })),
    );
    expect(one?.file.id).not.toBe(other?.file.id);
  });

  it('eight concurrent uploads with one request id create one file', async () => {
    const userId = test.newUser();
    const bytes = randomBytes(600_000);
    const before = await test.stored();
    let waiting = 0;
    const gate = newGate();
    async function* together(): AsyncGenerator<UploadPart> {
      yield* test.parts(bytes, { requestId });
      waiting += 1;
      if (waiting === 8) gate.open();
      await gate.opened;
    }
    const uploads = Array.from({ length: 8 }, () =>
      test.uploadParts({ userId, parts: together() }),
    );
    const answers = await Promise.all(uploads);
    expect(new Set(answers.map(({ file }) => file.id)).size).toBe(1);
    await expect(test.stored()).resolves.toEqual({
      ...before,
      files: before.files + 1,
      chunks: before.chunks + 3,
    });
    await expect(test.read(userId, answers[0]!.file.id)).resolves.toEqual(bytes);
  });
});

describe('the quota of uploads', () => {
  const quotaBytes = 64 * mebibyte;
  const tooMuch = { code: 'QUOTA_EXCEEDED' };
  const sized = (size: number): Buffer => Buffer.alloc(size);

  it('the upload quota is shared by an owner and its subusers, however many upload at once', async () => {
    const owner = test.newUser();
    const family = [owner, test.newUser(), test.newUser()];
    for (const subuser of family.slice(1)) test.owners.set(subuser, owner);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => test.upload(family[n % 3]!, sized(8 * mebibyte))),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(tooMuch);
    const sizes = await Promise.all(family.map((userId) => test.store.sizeOf(userId)));
    const stored = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(stored).toBeLessThanOrEqual(quotaBytes);
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    expect((await test.stored()).uploads).toBe(0);
  });

  it('deleting an upload frees its quota, and a repeated upload needs none', async () => {
    const userId = test.newUser();
    const header = { requestId: createId() };
    const first = await test.upload(userId, sized(32 * mebibyte), header);
    await test.upload(userId, sized(31 * mebibyte));
    await expect(test.upload(userId, sized(2 * mebibyte))).rejects.toMatchObject(tooMuch);
    await expect(test.upload(userId, sized(32 * mebibyte), header)).resolves.toEqual(first);
    const deletion = { userId, requestId: 'bye', fileId: first.file.id };
    await test.delete(deletion);
    await test.delete(deletion);
    await expect(test.delete({ ...deletion, requestId: 'again' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(readAll(test.download(userId, first.file.id))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await test.upload(userId, sized(32 * mebibyte));
  });

  it('a failed upload uses no quota', async () => {
    const userId = test.newUser();
    for (let tries = 0; tries < 3; tries += 1)
      await expect(
        test.upload(userId, sized(30 * mebibyte), { sha256: 'f'.repeat(64) }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await test.upload(userId, sized(32 * mebibyte));
    await test.upload(userId, sized(31 * mebibyte));
  });

  it('an upload that may have been stored when the database failed keeps its quota reserved', async () => {
    const { store, quota } = test;
    const userId = test.newUser();
    const write: typeof store.write = async (...upload) => {
      await store.write(...upload);
      throw new Error('connection lost');
    };
    const fail = makeUploadFile({ files: { write }, quota, newId: createId, now: () => test.now });
    const parts = test.parts(sized(32 * mebibyte));
    await expect(fail({ userId, parts })).rejects.toThrow('connection lost');
    await test.upload(userId, sized(mebibyte));
    const found = await test.mongo.db.collection('homes').findOne({ members: userId });
    expect(found!['usedBytes']).toBeGreaterThanOrEqual(33 * mebibyte);
  });

  it('repeating an upload that was deleted in the meantime counts it again', async () => {
    const userId = test.newUser();
    const header = test.header();
    const { file } = await test.upload(userId, sized(mebibyte), header);
    await test.delete({ userId, requestId: 'bye', fileId: file.id });
    const again = await test.upload(userId, sized(mebibyte), header);
    expect(again.file.id).not.toBe(file.id);
    const found = await test.mongo.db.collection('homes').findOne({ members: userId });
    expect(found).toMatchObject({ usedBytes: mebibyte, usedEntries: 1 });
  });

  it('collects a deleted upload even if messages refer to it, and keeps every other upload that they refer to', async () => {
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
    const left = test.mongo.db.collection('files.files').find({ 'metadata.userId': userId });
    expect((await left.toArray()).map(({ _id }) => String(_id))).toEqual([kept.file.id]);
    expect(await test.read(userId, kept.file.id)).toEqual(sized(10));
  });

  it('lists uploads newest first, without deleted ones and those of others', async () => {
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
    const left = test.mongo.db.collection('files.files');
    expect(await left.countDocuments({ 'metadata.userId': userId })).toBe(0);
  });
});
