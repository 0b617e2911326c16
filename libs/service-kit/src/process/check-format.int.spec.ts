import { describe, expect, it } from '@jest/globals';
import { testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { checkFormat, dataFormat } from './check-format';

const { db } = useFixture(() => testDatabase('format'));
const formats = () => db.collection<{ _id: string; version?: number }>('format');

describe('checkFormat', () => {
  it('stores the format of this version, and accepts data that has it or an older one', async () => {
    await Promise.all(Array.from({ length: 4 }, () => checkFormat(db)));
    expect(await formats().find().toArray()).toEqual([{ _id: 'data', version: dataFormat }]);
    await checkFormat(db, dataFormat + 1);
    expect(await formats().findOne({ _id: 'data' })).toMatchObject({ version: dataFormat + 1 });
  });

  it('refuses data of a newer format with one sentence, and does not change it', async () => {
    await formats().updateOne({ _id: 'data' }, { $set: { version: 7 } }, { upsert: true });
    await expect(checkFormat(db)).rejects.toThrow(
      /^the data in the database \S+ has format 7, but this version reads formats up to 1 only; run a newer version$/,
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
