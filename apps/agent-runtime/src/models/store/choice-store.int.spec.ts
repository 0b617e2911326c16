import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { testDatabase } from '@daycare/testing';
import { choiceCollection, ChoiceStore } from './choice-store';

const mongo = useFixture(() => testDatabase('choices'));
const models = [{ provider: 'local', id: 'echo' }];

it('polls reread a burst of changes only as long as an earlier change can still become visible', async () => {
  const choices = new ChoiceStore(mongo.db);
  const before = await choices.newestMark();
  const keys = Array.from({ length: 200 }, (_, at) => `user:${at}`);
  await Promise.all(keys.map((key) => choices.set({ key, models, requestId: createId() })));
  const { mark, choices: changed } = await choices.listChanged(before);
  expect(changed.size).toBe(200);
  const readAfter = async (quietMs: number): Promise<number> =>
    (await choices.listChanged(mark, quietMs)).choices.size;
  expect(await readAfter(0)).toBe(200);
  expect(await readAfter(60_000)).toBeLessThan(20);
  // This change got its time nine seconds before the mark and becomes visible only now.
  const late = {
    _id: 'user:late',
    models,
    changedAt: new Date(mark.getTime() - 9_000),
    changedBy: [],
  };
  await mongo.db.collection<{ _id: string }>(choiceCollection).insertOne(late);
  expect((await choices.listChanged(mark, 500)).choices.has('user:late')).toBe(true);
});
