import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { toAppError } from '@daycare/api';
import { toGrpcStatus } from '@daycare/rpc';
import { newGate, openTestFiles, readAll, sha256Of } from '../../test-support/test-files';
import type { UploadPart } from './upload-file';

const test = useFixture(openTestFiles);

const mebibyte = 1_048_576;
const maxBytes = 32 * mebibyte;

/** Sends these parts, and reports how many were read and whether the source was closed. */
function watchedParts(parts: readonly UploadPart[], failure?: Error) {
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
  it.each([0, 1, 255 * 1024, 300 * 1024, maxBytes])(
    'a file of %d bytes is downloaded unchanged',
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

  it('a file is downloaded in chunks of at most 256 KiB', async () => {
    const userId = test.newUser();
    const { file } = await test.upload(userId, randomBytes(3 * mebibyte));
    const [, ...chunks] = await readAll(test.download(userId, file.id));
    const sizes = chunks.map((part) => ('chunk' in part ? part.chunk.length : 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(file.size);
  });

  it('an uploaded file’s type is detected from its content', async () => {
    const page = Buffer.from('<!doctype html><p>Hello');
    const { file } = await test.upload(test.newUser(), page, { mimeType: 'image/png' });
    expect(file.mimeType).toBe('text/html');
  });

  it('an uploaded file’s type is detected even if its first bytes arrive one by one', async () => {
    const bytes = [...Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')];
    const chunks = bytes.map((byte) => ({ chunk: Uint8Array.of(byte) }));
    const { parts } = watchedParts([{ header: test.header() }, ...chunks]);
    const { file } = await test.uploadParts({ userId: test.newUser(), parts });
    expect(file).toMatchObject({ mimeType: 'image/png', size: 8 });
  });

  it('downloading another user’s file fails exactly like downloading a file that never existed', async () => {
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

describe('UploadFile, without storing anything,', () => {
  it('refuses a file one byte too large without reading the rest', async () => {
    const full = { chunk: randomBytes(mebibyte) };
    const chunks = [...Array.from({ length: 32 }, () => full), { chunk: randomBytes(1) }];
    const { parts, seen } = watchedParts([{ header: test.header() }, ...chunks, full, full]);
    await expectRefused(parts, 'chunk makes the file larger than 33554432 bytes');
    expect(seen).toEqual({ read: 34, closed: true });
  });

  it('refuses a chunk of more than 1 MiB', async () => {
    const chunks = [{ chunk: randomBytes(mebibyte) }, { chunk: randomBytes(mebibyte + 1) }];
    const { parts } = watchedParts([{ header: test.header() }, ...chunks]);
    await expectRefused(parts, 'chunk must be at most 1048576 bytes');
  });

  it('refuses content that does not match the expected hash', async () => {
    const bytes = randomBytes(700_000);
    const parts = test.parts(bytes, { sha256: sha256Of(randomBytes(1)) });
    await expectRefused(
      parts,
      `sha256 does not match the content, whose SHA-256 is ${sha256Of(bytes)}`,
    );
  });

  it('refuses an empty stream', () =>
    expectRefused(watchedParts([]).parts, 'header must be sent first'));

  it('refuses a chunk before the header', async () => {
    const { parts, seen } = watchedParts([{ chunk: randomBytes(1) }, { header: test.header() }]);
    await expectRefused(parts, 'header must be sent first');
    expect(seen).toEqual({ read: 1, closed: true });
  });

  it('refuses a second header', async () => {
    const header = { header: test.header() };
    const { parts } = watchedParts([header, { chunk: randomBytes(300_000) }, header]);
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

  it('rejects with the source’s error when the source fails halfway', async () => {
    const before = await test.stored();
    const chunks = [{ chunk: randomBytes(mebibyte) }, { chunk: randomBytes(100) }];
    const { parts } = watchedParts(
      [{ header: test.header() }, ...chunks],
      new Error('disconnected'),
    );
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

  it('a request id that was used for other content or another name is refused', async () => {
    const userId = test.newUser();
    const bytes = randomBytes(100);
    await test.upload(userId, bytes, { requestId });
    const before = await test.stored();
    const conflicting = [
      test.upload(userId, randomBytes(100), { requestId }),
      test.upload(userId, bytes, { requestId, name: 'b.bin' }),
    ];
    const refused = { code: 'REQUEST_ID_REUSED' };
    await Promise.all(conflicting.map((upload) => expect(upload).rejects.toMatchObject(refused)));
    await expect(test.stored()).resolves.toEqual(before);
  });

  it('two users can use the same request id for different files', async () => {
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
