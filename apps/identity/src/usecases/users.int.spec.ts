import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { NoticeKind } from '@daycare/contracts/common';
import { eventually, profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { longestTokenLifetimeMs, openTestUsecases } from '../test-support/test-usecases';
import { makeListUsers } from './list-users';

const { mongo, usecases, newUser, newSubuser, noticesAbout } = useFixture(openTestUsecases);

describe('resolveConnectorKey', () => {
  const commandFor = (key: string, name = 'Ada') => ({
    createdBy: 'client:telegram',
    requestId: createId(),
    connector: 'telegram',
    key,
    name,
  });

  it('creates only one user for a connector key, even with concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => usecases.resolveConnectorKey(commandFor('42'))),
    );
    expect(new Set(answers.map(({ user }) => user.id)).size).toBe(1);
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const later = await usecases.resolveConnectorKey(commandFor('42', 'Another name'));
    expect(later).toEqual({ user: answers[0]!.user, created: false });
  });

  it('assigns a connector key to its user again if a crash prevented the assignment', async () => {
    const { user } = await usecases.resolveConnectorKey(commandFor('43'));
    await mongo.db.collection<{ _id: string }>('connector_keys').deleteOne({ _id: 'telegram:43' });
    await expect(usecases.resolveConnectorKey(commandFor('43'))).resolves.toEqual({
      user,
      created: false,
    });
    await expect(usecases.resolveConnectorKey(commandFor('43'))).resolves.toEqual({
      user,
      created: false,
    });
  });

  it('creates a new user for a connector key whose user was deleted', async () => {
    const { user } = await usecases.resolveConnectorKey(commandFor('44'));
    await usecases.deleteUser({ requestId: 'bye', userId: user.id });
    const again = await usecases.resolveConnectorKey(commandFor('44'));
    expect(again.created).toBe(true);
    expect(again.user.nametag).not.toBe(user.nametag);
  });
});

describe('deleteSubuser', () => {
  it('deletes a subuser, revokes its tokens and stores one notice for each service', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    const command = { requestId: 'bye', userId: subuser.id };
    await usecases.deleteSubuser(ada.id, command);
    await expect(usecases.users.findById(subuser.id)).resolves.toBeUndefined();
    const notices = await noticesAbout(subuser.id);
    const sent = notices.map(({ recipient, notice }) => [recipient?.target, notice?.kind]);
    expect(sent).toEqual(
      ['social-graph', 'agent-runtime', 'topology'].map((value) => [
        { $case: 'service', value },
        NoticeKind.USER_DELETED,
      ]),
    );
    const revoked = await usecases.revocations.listAfter(0, 1_000);
    expect(revoked.map(({ id }) => id)).toContain(`user:${subuser.id}`);
  });

  it('notices about different users or to different services are stored in different lanes', async () => {
    const ada = await newUser();
    const subusers = [await newSubuser(ada.id), await newSubuser(ada.id)];
    for (const { id } of subusers)
      await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId: id });
    const stored = await Promise.all(subusers.map(({ id }) => noticesAbout(id)));
    const lanes = stored.flat().map(({ lane }) => lane);
    expect(lanes).toHaveLength(6);
    expect(new Set(lanes).size).toBe(6);
  });

  it('the revocations of a deleted user and its subusers last as long as the longest-lived token that any replica may have issued', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    const before = Date.now();
    await usecases.deleteUser({ requestId: 'bye', userId: ada.id });
    const revoked = await usecases.revocations.listAfter(0, 1_000);
    for (const id of [`user:${ada.id}`, `user:${subuser.id}`]) {
      const entry = revoked.find((revocation) => revocation.id === id);
      expect(entry?.expiresAt.getTime()).toBeGreaterThanOrEqual(before + longestTokenLifetimeMs);
    }
  });

  it('the tombstone of a deleted subuser contains only ids, the nametag, its creator, the request that deleted it, and two times', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId: subuser.id });
    const users = mongo.db.collection<{ _id: string }>('users');
    const tombstone = await users.findOne({ _id: subuser.id });
    expect(Object.keys(tombstone ?? {}).sort()).toEqual(
      ['_id', 'createdAt', 'createdBy', 'deletedAt', 'deletedByRequest', 'deletedParentId'].concat(
        'nametag',
      ),
    );
  });

  it('listing an owner’s living subusers reads no deleted ones', async () => {
    const ada = await newUser();
    await newSubuser(ada.id);
    const users = mongo.db.collection<{ _id: string }>('users');
    const tombstones = Array.from({ length: 2_000 }, (_, index) => ({
      _id: `${ada.id}${index}`,
      nametag: `${ada.nametag}x${index}`,
      deletedAt: new Date(),
      deletedParentId: ada.id,
    }));
    await users.insertMany(tombstones);
    const profileList = () =>
      profileQueries(mongo.db, /\.users$/, async () => {
        await usecases.listSubusers({ ownerId: ada.id, pageSize: 0, pageToken: '' });
      });
    // On a busy machine, MongoDB's profiler may leave a query out.
    const queries = await eventually(async () => {
      const profiled = await profileList();
      return profiled.length > 0 ? profiled : undefined;
    });
    expect(queries).toMatchObject([{ nreturned: 1, docsExamined: 1 }]);
  });

  it('a repeated deletion succeeds with the same request id and fails with NOT_FOUND with another one', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    const command = { requestId: 'bye', userId: subuser.id };
    await Promise.all([
      usecases.deleteSubuser(ada.id, command),
      usecases.deleteSubuser(ada.id, command),
    ]);
    await usecases.deleteSubuser(ada.id, command);
    await expect(noticesAbout(subuser.id)).resolves.toHaveLength(3);
    const withAnotherId = usecases.deleteSubuser(ada.id, { ...command, requestId: 'again' });
    await expect(withAnotherId).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('deleting another user’s subuser fails with NOT_FOUND and changes nothing', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const subuser = await newSubuser(ada.id);
    const foreign = usecases.deleteSubuser(bob.id, { requestId: 'bye', userId: subuser.id });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(usecases.users.findById(subuser.id)).resolves.toEqual(subuser);
    await expect(noticesAbout(subuser.id)).resolves.toEqual([]);
  });
});

describe('deleteUser', () => {
  it('removes the sign-in codes for the user and its subusers', async () => {
    const user = await newUser();
    const bot = await newSubuser(user.id);
    const codes = mongo.db.collection('sign_in_codes');
    await codes.insertMany([user, bot].map(({ id: userId }) => ({ userId, ownerId: user.id })));
    await usecases.deleteUser({ requestId: createId(), userId: user.id });
    await expect(codes.countDocuments({ ownerId: user.id })).resolves.toBe(0);
  });
});

describe('listUsers', () => {
  const list = (page: { nametagPrefix?: string; pageSize?: number; pageToken?: string }) =>
    makeListUsers(usecases)({ nametagPrefix: '', pageSize: 0, pageToken: '', ...page });

  it('lists living users and subusers in pages, sorted by nametag', async () => {
    const owner = await newUser();
    const made = [owner, await newSubuser(owner.id), await newUser(), await newUser()];
    const deleted = made.pop()!;
    await usecases.deleteUser({ requestId: createId(), userId: deleted.id });
    const found: string[] = [];
    let pageToken = '';
    do {
      const page = await list({ pageSize: 1, pageToken });
      expect(page.users.length).toBeLessThanOrEqual(1);
      found.push(...page.users.map(({ nametag }) => nametag));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(found).toEqual([...found].sort());
    expect(found).toEqual(expect.arrayContaining(made.map(({ nametag }) => nametag)));
    expect(found).not.toContain(deleted.nametag);
  });

  it('finds users by the beginning of their nametag, ignoring case and surrounding spaces', async () => {
    const { id, nametag } = await newUser();
    const { users } = await list({ nametagPrefix: ` ${nametag.slice(0, -1).toUpperCase()}` });
    expect(users.map((user) => user.id)).toContain(id);
    expect(users.every((user) => user.nametag.startsWith(nametag.slice(0, -1)))).toBe(true);
    expect(await list({ nametagPrefix: `${nametag}x` })).toEqual({ users: [], nextPageToken: '' });
  });
});
