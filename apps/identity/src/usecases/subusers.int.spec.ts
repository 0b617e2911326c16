import { describe, expect, it } from '@jest/globals';
import { NoticeKind } from '@daycare/contracts/common';
import { useFixture } from '@daycare/testing/jest';
import { maxSubusers, openTestUsecases } from '../test-support/test-usecases';

const { mongo, usecases, newUser, newSubuser, noticesAbout } = useFixture(openTestUsecases);

describe('subusers', () => {
  it('subusers are listed in pages, oldest first, to their owner only', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const name of names) await newSubuser(ada.id, name);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await usecases.listSubusers({ ownerId: ada.id, pageSize: 2, pageToken });
      seen.push(...page.subusers.map(({ name }) => name));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(names);
    await expect(
      usecases.listSubusers({ ownerId: bob.id, pageSize: 0, pageToken: '' }),
    ).resolves.toMatchObject({
      subusers: [],
      nextPageToken: '',
    });
  });

  it('a list of subusers is sent again only after a subuser was created, renamed or deleted', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    let knownDigest = '';
    const list = async (ownerId = ada.id) => {
      const condition = { pageSize: 0, pageToken: '', knownDigest };
      const { subusers, digest, unchanged } = await usecases.listSubusers({
        ownerId,
        ...condition,
      });
      knownDigest = digest;
      return unchanged ? 'unchanged' : subusers.map(({ name }) => name);
    };
    expect([await list(), await list()]).toEqual([[], 'unchanged']);
    const { id: subuserId } = await newSubuser(ada.id, 'one');
    expect([await list(), await list()]).toEqual([['one'], 'unchanged']);
    await usecases.renameSubuser({ ownerId: ada.id, requestId: 'r', subuserId, name: 'two' });
    await newSubuser(bob.id, 'other');
    expect([await list(), await list()]).toEqual([['two'], 'unchanged']);
    await usecases.deleteSubuser(ada.id, { requestId: 'd', userId: subuserId });
    expect([await list(), await list()]).toEqual([[], 'unchanged']);
  });

  it('retrying an earlier rename does not undo a later one', async () => {
    const ada = await newUser();
    const { id: subuserId } = await newSubuser(ada.id);
    const rename = (requestId: string, name: string) =>
      usecases.renameSubuser({ ownerId: ada.id, requestId, subuserId, name });
    await rename('first', 'One');
    await rename('second', 'Two');
    await expect(rename('first', 'One')).resolves.toMatchObject({ name: 'Two' });
    const notices = await noticesAbout(subuserId);
    const [one, two] = ['One', 'Two'].map((name) => [NoticeKind.USER_RENAMED, name]);
    // One for each notified service.
    expect(notices.map(({ notice }) => [notice?.kind, notice?.subuserName])).toEqual([
      one,
      one,
      two,
      two,
    ]);
  });

  it('retrying a rename after many others does not undo the last one', async () => {
    const ada = await newUser();
    const { id: subuserId } = await newSubuser(ada.id);
    const rename = (requestId: string, name: string) =>
      usecases.renameSubuser({ ownerId: ada.id, requestId, subuserId, name });
    await rename('first', 'One');
    for (let number = 0; number < 20; number += 1) await rename(`later${number}`, `Two ${number}`);
    await expect(rename('first', 'One')).resolves.toMatchObject({ name: 'Two 19' });
    expect(await noticesAbout(subuserId)).toHaveLength(2 * 21);
  });

  it('concurrent renames of different subusers all succeed', async () => {
    const ada = await newUser();
    const subusers = await Promise.all(Array.from({ length: 8 }, () => newSubuser(ada.id)));
    const renamed = await Promise.all(
      subusers.map(({ id: subuserId }) =>
        usecases.renameSubuser({ ownerId: ada.id, requestId: 'r', subuserId, name: 'Better' }),
      ),
    );
    expect(renamed.map(({ name }) => name)).toEqual(Array(8).fill('Better'));
  });

  it('only the owner can rename a subuser, which keeps its nametag', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const subuser = await newSubuser(ada.id);
    const rename = { requestId: 'r', subuserId: subuser.id, name: ' Better ' };
    await expect(usecases.renameSubuser({ ...rename, ownerId: bob.id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(usecases.renameSubuser({ ...rename, ownerId: ada.id })).resolves.toEqual({
      ...subuser,
      name: 'Better',
    });
  });

  it('an owner has no more subusers than the limit, however many are created concurrently', async () => {
    const ada = await newUser();
    const outcomes = await Promise.allSettled(Array.from({ length: 24 }, () => newSubuser(ada.id)));
    const created = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    );
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    );
    expect(created).toHaveLength(maxSubusers);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        code: 'QUOTA_EXCEEDED',
        message: 'A user can have at most 8 subusers; delete one first',
      });
    await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId: created[0]!.id });
    await expect(newSubuser(ada.id)).resolves.toMatchObject({ parentUserId: ada.id });
    await usecases.deleteUser({ requestId: 'bye', userId: ada.id });
    await expect(usecases.users.findByIds(created.map(({ id }) => id))).resolves.toEqual([]);
  });

  it('a retry returns the subuser that the first attempt created, even when the owner has reached the limit', async () => {
    const ada = await newUser();
    const last = { ownerId: ada.id, requestId: 'last', name: 'Last', description: '' };
    for (let made = 0; made < maxSubusers - 1; made += 1) await newSubuser(ada.id);
    const subuser = await usecases.createSubuser(last);
    await expect(usecases.createSubuser(last)).resolves.toEqual(subuser);
    await expect(usecases.createSubuser({ ...last, name: 'Other' })).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
  });

  it('a late retry does not recreate a subuser that has been deleted since', async () => {
    const ada = await newUser();
    const command = { ownerId: ada.id, requestId: 'late', name: 'Bot', description: '' };
    const { id: userId } = await usecases.createSubuser(command);
    await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId });
    for (const name of ['Bot', 'Other'])
      await expect(usecases.createSubuser({ ...command, name })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    await usecases.deleteUser({ requestId: 'bye', userId: ada.id });
  });

  it('creating and deleting subusers in turn is limited per day', async () => {
    const ada = await newUser();
    for (let round = 0; round < maxSubusers * 10; round += 1) {
      const { id } = await newSubuser(ada.id);
      await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId: id });
    }
    const refusal = await newSubuser(ada.id).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { retryAfterMs: expect.any(Number) },
    });
  });

  it('a deleted subuser leaves a tombstone that keeps its nametag but neither its name nor an index entry under its owner', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id, 'Secret plans');
    await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId: subuser.id });
    const users = mongo.db.collection<{ _id: string }>('users');
    const [tombstone] = await users.find({ _id: subuser.id }).toArray();
    expect(tombstone).toMatchObject({ nametag: subuser.nametag });
    expect(JSON.stringify(tombstone)).not.toContain('Secret plans');
    const plan = await users.find({ parentUserId: ada.id }).explain('executionStats');
    expect(plan).toMatchObject({ executionStats: { totalKeysExamined: 0 } });
  });

  it('if an owner is deleted while subusers are being created, none of these subusers survives', async () => {
    for (let round = 0; round < 15; round += 1) {
      const ada = await newUser();
      const creations = Array.from({ length: 4 }, () => newSubuser(ada.id).catch(() => undefined));
      await usecases.deleteUser({ requestId: 'bye', userId: ada.id });
      const made = (await Promise.all(creations)).filter((subuser) => subuser !== undefined);
      const alive = await usecases.users.findByIds(made.map(({ id }) => id));
      expect(alive).toEqual([]);
    }
  });
});
