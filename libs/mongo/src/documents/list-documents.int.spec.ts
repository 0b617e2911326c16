import { expect, it } from '@jest/globals';
import { profileQueries, testDatabase } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { makeListDocuments } from './list-documents';

const mongo = useFixture(testDatabase);

interface Thing {
  readonly _id: number;
  readonly owner: string;
  readonly at: Date;
}

it('makeListDocuments lists hundreds of documents in one round trip, in the requested order and with the requested fields', async () => {
  const things = mongo.db.collection<Thing>('things');
  const at = new Date();
  await things.insertMany(
    Array.from({ length: 700 }, (_, index) => ({
      _id: index,
      owner: index < 500 ? 'ada' : 'bob',
      at,
    })),
  );
  const list = makeListDocuments(things);
  const queries = await profileQueries(mongo.db, /\.things$/, async () => {
    const found = await list(
      { owner: 'ada' },
      { sort: { _id: -1 }, projection: { at: 1 }, limit: 400 },
    );
    expect(found).toEqual(Array.from({ length: 400 }, (_, index) => ({ _id: 499 - index, at })));
    expect(await list({ owner: 'ada' }, {})).toHaveLength(500);
  });
  expect(queries).toHaveLength(2);
  expect(await list({ owner: 'nobody' }, {})).toEqual([]);
});
