import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { NoticeKind, SystemMessage } from '@daycare/contracts/common';
import { outboxIndexes, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { subuserLimits } from '../domain/subuser-limits';
import { connectorKeyIndexes, ConnectorKeyStore } from '../store/connector-key-store';
import { DeletionStore } from '../store/deletion-store';
import { RenameStore } from '../store/rename-store';
import { revocationIndexes, RevocationStore } from '../store/revocation-store';
import { sessionIndexes, SessionStore } from '../store/session-store';
import { userIndexes } from '../store/user-document';
import { UserStore } from '../store/user-store';
import { makeCreateSubuser } from './create-subuser';
import { makeCreateUser } from './create-user';
import { makeDeleteUsers } from './delete-users';
import { makeInsertUser } from './insert-user';
import { makeListSubusers } from './list-subusers';
import { makeRenameSubuser } from './rename-subuser';
import { makeResolveConnectorKey } from './resolve-connector-key';

let mongo: MongoConnection;
let usecases: ReturnType<typeof build>;
beforeAll(async () => {
  mongo = await testDatabase('identity');
  const indexes = [userIndexes, connectorKeyIndexes, sessionIndexes, revocationIndexes];
  await ensureIndexes(mongo.db, [...indexes, ...outboxIndexes]);
  usecases = build(mongo);
});
afterAll(() => mongo.close());

const maxSubusers = 8;

function build({ client, db }: MongoConnection) {
  const users = new UserStore(db, subuserLimits(maxSubusers));
  const connectorKeys = new ConnectorKeyStore(db);
  const revocations = new RevocationStore(db);
  const outbox = new OutboxStore(db, 'identity');
  const deletions = new DeletionStore({ client, users, connectorKeys, revocations, outbox });
  const draw = (below: number): number => Math.floor(Math.random() * below);
  const now = (): Date => new Date();
  const insertUser = makeInsertUser({ users, newId: createId, now, draw });
  return {
    users,
    revocations,
    createUser: makeCreateUser({ insertUser }),
    createSubuser: makeCreateSubuser({ insertUser }),
    listSubusers: makeListSubusers({ users }),
    renameSubuser: makeRenameSubuser({
      users,
      renames: new RenameStore({ client, users, outbox }),
      newId: createId,
      wake: () => undefined,
    }),
    resolveConnectorKey: makeResolveConnectorKey({ users, connectorKeys, insertUser }),
    ...makeDeleteUsers({
      users,
      deletions,
      now,
      sessions: new SessionStore(db),
      tokenLifetimeMs: 60_000,
      wake: () => undefined,
    }),
  };
}

const newUser = () =>
  usecases.createUser({ createdBy: 'admin', requestId: createId(), name: 'Ada' });
const newSubuser = (ownerId: string, name = 'Helper') =>
  usecases.createSubuser({ ownerId, requestId: createId(), name, description: 'helps' });

async function noticesAbout(userId: string): Promise<SystemMessage[]> {
  const rows = await mongo.db
    .collection<{ recipientUserId: string; payload: { buffer: Uint8Array } }>('outbox')
    .find({ recipientUserId: userId })
    .toArray();
  return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
}

describe('resolveConnectorKey', () => {
  const ask = (key: string, name = 'Ada') => ({
    createdBy: 'client:telegram',
    requestId: createId(),
    connector: 'telegram',
    key,
    name,
  });

  it('creates the user of a connector key once, even with concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => usecases.resolveConnectorKey(ask('42'))),
    );
    expect(new Set(answers.map(({ user }) => user.id)).size).toBe(1);
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const later = await usecases.resolveConnectorKey(ask('42', 'Another name'));
    expect(later).toEqual({ user: answers[0]!.user, created: false });
  });

  it('completes a connector key whose creation a crash interrupted', async () => {
    const { user } = await usecases.resolveConnectorKey(ask('43'));
    await mongo.db.collection<{ _id: string }>('connector_keys').deleteOne({ _id: 'telegram:43' });
    await expect(usecases.resolveConnectorKey(ask('43'))).resolves.toEqual({
      user,
      created: false,
    });
    await expect(usecases.resolveConnectorKey(ask('43'))).resolves.toEqual({
      user,
      created: false,
    });
  });

  it('creates a new user for a connector key whose user was deleted', async () => {
    const { user } = await usecases.resolveConnectorKey(ask('44'));
    await usecases.deleteUser({ requestId: 'bye', userId: user.id });
    const again = await usecases.resolveConnectorKey(ask('44'));
    expect(again.created).toBe(true);
    expect(again.user.nametag).not.toBe(user.nametag);
  });
});

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

  it('a list of subusers is sent again only when one was created, renamed or deleted', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    let known = '';
    const ask = async (ownerId = ada.id) => {
      const condition = { pageSize: 0, pageToken: '', knownDigest: known };
      const { subusers, digest, unchanged } = await usecases.listSubusers({
        ownerId,
        ...condition,
      });
      known = digest;
      return unchanged ? 'unchanged' : subusers.map(({ name }) => name);
    };
    expect([await ask(), await ask()]).toEqual([[], 'unchanged']);
    const { id: subuserId } = await newSubuser(ada.id, 'one');
    expect([await ask(), await ask()]).toEqual([['one'], 'unchanged']);
    await usecases.renameSubuser({ ownerId: ada.id, requestId: 'r', subuserId, name: 'two' });
    await newSubuser(bob.id, 'other');
    expect([await ask(), await ask()]).toEqual([['two'], 'unchanged']);
    await usecases.deleteSubuser(ada.id, { requestId: 'd', userId: subuserId });
    expect([await ask(), await ask()]).toEqual([[], 'unchanged']);
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

  it('an owner has no more subusers than the limit, however many are created at once', async () => {
    const ada = await newUser();
    const outcomes = await Promise.allSettled(Array.from({ length: 24 }, () => newSubuser(ada.id)));
    const created = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
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

  it('a retry finds the subuser it created when there is no room for another one', async () => {
    const ada = await newUser();
    const last = { ownerId: ada.id, requestId: 'last', name: 'Last', description: '' };
    for (let made = 0; made < maxSubusers - 1; made += 1) await newSubuser(ada.id);
    const subuser = await usecases.createSubuser(last);
    await expect(usecases.createSubuser(last)).resolves.toEqual(subuser);
    await expect(usecases.createSubuser({ ...last, name: 'Other' })).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
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

  it('a deleted subuser leaves only its nametag, which counts against no quota', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id, 'Secret plans');
    await usecases.deleteSubuser(ada.id, { requestId: 'bye', userId: subuser.id });
    const users = mongo.db.collection<{ _id: string }>('users');
    const [left] = await users.find({ _id: subuser.id }).toArray();
    expect(left).toMatchObject({ nametag: subuser.nametag });
    expect(JSON.stringify(left)).not.toContain('Secret plans');
    const plan = await users.find({ parentUserId: ada.id }).explain('executionStats');
    expect(plan).toMatchObject({ executionStats: { totalKeysExamined: 0 } });
  });

  it('no subuser outlives an owner who is deleted during its creation', async () => {
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

describe('deleteSubuser', () => {
  it('deletes a subuser and notifies each service once', async () => {
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
    const revoked = await usecases.revocations.list(new Date());
    expect(revoked.map(({ id }) => id)).toContain(`user:${subuser.id}`);
  });

  it('a repeated deletion succeeds under the same request id and is NOT_FOUND under another', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    const command = { requestId: 'bye', userId: subuser.id };
    await Promise.all([
      usecases.deleteSubuser(ada.id, command),
      usecases.deleteSubuser(ada.id, command),
    ]);
    await usecases.deleteSubuser(ada.id, command);
    await expect(noticesAbout(subuser.id)).resolves.toHaveLength(3);
    const other = usecases.deleteSubuser(ada.id, { ...command, requestId: 'again' });
    await expect(other).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('deleting a subuser of another user is NOT_FOUND and changes nothing', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const subuser = await newSubuser(ada.id);
    const foreign = usecases.deleteSubuser(bob.id, { requestId: 'bye', userId: subuser.id });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(usecases.users.findById(subuser.id)).resolves.toEqual(subuser);
    await expect(noticesAbout(subuser.id)).resolves.toEqual([]);
  });
});
