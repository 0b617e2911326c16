import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { toAppError } from '@daycare/errors';
import { toGrpcStatus } from '@daycare/rpc';
import {
  newGate,
  openTestFiles,
  readAll,
  sha256Of,
  type TestFiles,
} from '../test-support/test-files';
import type { UploadPart } from './upload-file';

let test: TestFiles;
beforeAll(async () => {
  test = await openTestFiles();
});
afterAll(() => test.close());

const mebibyte = 1_048_576;
const most = 32 * mebibyte;

/** Sends these parts, and says how many of them were read and whether the rest was given back. */
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
  const field = message.split(' ')[0];
  await expect(test.uploadParts({ userId: test.newUser(), parts })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(message),
    details: { fields: [expect.objectContaining({ field })] },
  });
  await expect(test.stored()).resolves.toEqual(before);
}

describe('a file that is uploaded', () => {
  it.each([0, 1, 255 * 1024, 300 * 1024, most])('comes back as it was: %d bytes', async (size) => {
    const userId = test.newUser();
    const bytes = randomBytes(size);
    const sha256 = sha256Of(bytes);
    const uploaded = await test.upload(userId, bytes, { name: 'Größe.bin', sha256 });
    expect(uploaded).toMatchObject({ file: { name: 'Größe.bin', size }, sha256 });
    const [header] = await readAll(test.download(userId, uploaded.file.id));
    expect(header).toEqual({ header: uploaded });
    expect(sha256Of(await test.read(userId, uploaded.file.id))).toBe(sha256);
    expect((await test.stored()).uploads).toBe(0);
  });

  it('comes back in chunks of at most 256 KiB', async () => {
    const userId = test.newUser();
    const { file } = await test.upload(userId, randomBytes(3 * mebibyte));
    const [, ...chunks] = await readAll(test.download(userId, file.id));
    const sizes = chunks.map((part) => ('chunk' in part ? part.chunk.length : 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(file.size);
  });

  it('is of the type that its content says', async () => {
    const page = Buffer.from('<!doctype html><p>Hello');
    const { file } = await test.upload(test.newUser(), page, { mimeType: 'image/png' });
    expect(file.mimeType).toBe('text/html');
  });

  it('is told its type also when its first bytes come one by one', async () => {
    const bytes = [...Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')];
    const chunks = bytes.map((byte) => ({ chunk: Uint8Array.of(byte) }));
    const { parts } = watched([{ header: test.header() }, ...chunks]);
    const { file } = await test.uploadParts({ userId: test.newUser(), parts });
    expect(file).toMatchObject({ mimeType: 'image/png', size: 8 });
  });

  it('is unknown to everybody else, as if it had never been', async () => {
    const { file } = await test.upload(test.newUser(), randomBytes(10));
    const [foreign, absent] = await Promise.all(
      [file.id, createId()].map((id) =>
        test.read(test.newUser(), id).catch((error: unknown) => toGrpcStatus(toAppError(error))),
      ),
    );
    expect(foreign).toMatchObject({ code: 5, details: 'file not found' });
    expect(foreign).toEqual(absent);
  });
});

describe('an upload is refused, and nothing of it stays:', () => {
  it('one byte too large, without reading the rest', async () => {
    const full = { chunk: randomBytes(mebibyte) };
    const chunks = [...Array.from({ length: 32 }, () => full), { chunk: randomBytes(1) }];
    const { parts, seen } = watched([{ header: test.header() }, ...chunks, full, full]);
    await expectRefused(parts, 'chunk must be at most 33554432 bytes in total');
    expect(seen).toEqual({ read: 34, closed: true });
  });

  it('a chunk of more than 1 MiB', async () => {
    const chunks = [{ chunk: randomBytes(mebibyte) }, { chunk: randomBytes(mebibyte + 1) }];
    const { parts } = watched([{ header: test.header() }, ...chunks]);
    await expectRefused(parts, 'chunk must be at most 1048576 bytes');
  });

  it('other content than was promised', async () => {
    const bytes = randomBytes(700_000);
    const parts = test.parts(bytes, { sha256: sha256Of(randomBytes(1)) });
    await expectRefused(parts, `sha256 does not match, got ${sha256Of(bytes)}`);
  });

  it('without anything', () => expectRefused(watched([]).parts, 'header must come first'));

  it('a chunk first', async () => {
    const { parts, seen } = watched([{ chunk: randomBytes(1) }, { header: test.header() }]);
    await expectRefused(parts, 'header must come first');
    expect(seen).toEqual({ read: 1, closed: true });
  });

  it('a second header', async () => {
    const header = { header: test.header() };
    const { parts } = watched([header, { chunk: randomBytes(300_000) }, header]);
    await expectRefused(parts, 'header must come only once');
  });

  it.each([
    [{ requestId: '' }, 'request_id is required'],
    [{ requestId: 'a b' }, 'request_id must be'],
    [{ name: '' }, 'name is required'],
    [{ name: '../a' }, 'name must not contain /'],
    [{ sha256: 'abc' }, 'sha256 must be 64'],
    [{ sha256: 'A'.repeat(64) }, 'sha256 must be 64'],
  ])('a header with %p', (header, message) =>
    expectRefused(test.parts(randomBytes(10), header), message),
  );

  it('a source that fails half-way', async () => {
    const before = await test.stored();
    const chunks = [{ chunk: randomBytes(mebibyte) }, { chunk: randomBytes(100) }];
    const { parts } = watched([{ header: test.header() }, ...chunks], new Error('cut off'));
    const upload = test.uploadParts({ userId: test.newUser(), parts });
    await expect(upload).rejects.toThrow('cut off');
    await expect(test.stored()).resolves.toEqual(before);
  });
});

describe('a request id', () => {
  const requestId = 'r1';

  it('stands for one file: a retry is answered with it and stores nothing', async () => {
    const userId = test.newUser();
    const bytes = randomBytes(600_000);
    const first = await test.upload(userId, bytes, { requestId });
    const before = await test.stored();
    await expect(test.upload(userId, bytes, { requestId })).resolves.toEqual(first);
    await expect(test.stored()).resolves.toEqual(before);
  });

  it('is refused for other content or another name', async () => {
    const userId = test.newUser();
    const bytes = randomBytes(100);
    await test.upload(userId, bytes, { requestId });
    const before = await test.stored();
    const other = [
      test.upload(userId, randomBytes(100), { requestId }),
      test.upload(userId, bytes, { requestId, name: 'b.bin' }),
    ];
    for (const upload of other)
      await expect(upload).rejects.toMatchObject({ code: 'REQUEST_ID_REUSED' });
    await expect(test.stored()).resolves.toEqual(before);
  });

  it('is each user’s own', async () => {
    const bytes = randomBytes(100);
    const [one, other] = await Promise.all(
      [0, 1].map(() => test.upload(test.newUser(), bytes, { requestId })),
    );
    expect(one?.file.id).not.toBe(other?.file.id);
  });

  it('makes one file of eight uploads at the same moment', async () => {
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
