import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import { readBson, writeBson } from './bson-file';

const folder = mkdtempSync(join(tmpdir(), 'daycare-bson-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* documents(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [index, size] of sizes.entries())
    yield BSON.serialize({ index, text: 'x'.repeat(size) });
}

it('readBson returns the documents as writeBson wrote them, whatever their size', async () => {
  const sizes = [0, 1, 70_000, 16_383, 16_384, 3_000_000, 5];
  const { entries } = await writeBson(folder, 'deep/some.bson.gz', documents(sizes));
  const read: number[] = [];
  for await (const bytes of readBson(folder, 'deep/some.bson.gz')) {
    const { index, text } = BSON.deserialize(bytes) as { index: number; text: string };
    expect(index).toBe(read.length);
    read.push(text.length);
  }
  expect([entries, read]).toEqual([sizes.length, sizes]);
});

it('readBson refuses a file that ends in the middle of a document', async () => {
  const truncatedDocument = async function* (): AsyncGenerator<Uint8Array> {
    yield BSON.serialize({ text: 'whole' }).subarray(0, 10);
  };
  await writeBson(folder, 'half.bson.gz', truncatedDocument());
  const read = async () => {
    for await (const _ of readBson(folder, 'half.bson.gz'));
  };
  await expect(read()).rejects.toThrow('in the middle of a document');
});

it('writeBson fails if the file already exists', async () => {
  await expect(writeBson(folder, 'half.bson.gz', documents([1]))).rejects.toThrow('EEXIST');
});
