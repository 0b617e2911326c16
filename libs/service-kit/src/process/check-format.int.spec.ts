import { describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { checkFormat, dataFormat } from './check-format';

const { db } = useFixture(() => testDatabase('format'));
const formats = () => db.collection<{ _id: string; version?: number }>('format');

describe('checkFormat', () => {
  it("stores this version's format, and accepts data in this or an older format", async () => {
    await Promise.all(Array.from({ length: 4 }, () => checkFormat(db)));
    expect(await formats().find().toArray()).toEqual([{ _id: 'data', version: dataFormat }]);
    await checkFormat(db, dataFormat + 1);
    expect(await formats().findOne({ _id: 'data' })).toMatchObject({ version: dataFormat + 1 });
  });

  it('refuses data in a newer format with a one-sentence error, and does not change the data', async () => {
    await formats().updateOne({ _id: 'data' }, { $set: { version: 7 } }, { upsert: true });
    await expect(checkFormat(db)).rejects.toThrow(
      /^the data in the database \S+ has format 7, but this version reads only formats up to 1; run a newer version$/,
    );
    expect(await formats().findOne({ _id: 'data' })).toMatchObject({ version: 7 });
    await formats().deleteMany({});
  });

  it('refuses a database with a partially restored backup', async () => {
    await formats().insertOne({ _id: 'restoring' });
    await expect(checkFormat(db)).rejects.toThrow('partially restored backup');
    await formats().deleteMany({});
  });
});
