import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { NoticeKind, SystemMessage } from '@daycare/contracts/common';
import { outboxIndexes, OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { connectorKeyIndexes, ConnectorKeyStore } from '../store/connector-key-store';
import { DeletionStore } from '../store/deletion-store';
import { RenameStore } from '../store/rename-store';
import { revocationIndexes, RevocationStore } from '../store/revocation-store';
import { sessionIndexes, SessionStore } from '../store/session-store';
import { userIndexes, UserStore } from '../store/user-store';
import { makeCreateSubuser } from './create-subuser';
import { makeCreateUser } from './create-user';
import { makeDeleteUsers } from './delete-users';
import { makeInsertUser } from './insert-user';
import { makeListSubusers } from './list-subusers';
import { makeRenameSubuser } from './rename-subuser';
import { makeResolveConnectorKey } from './resolve-connector-key';

let mongo: MongoConnection;
let people: ReturnType<typeof build>;
beforeAll(async () => {
  mongo = await testDatabase('identity');
  const indexes = [userIndexes, connectorKeyIndexes, sessionIndexes, revocationIndexes];
  await ensureIndexes(mongo.db, [...indexes, ...outboxIndexes]);
  people = build(mongo);
});
afterAll(() => mongo.close());

function build({ client, db }: MongoConnection) {
  const users = new UserStore(db);
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

const newUser = () => people.createUser({ createdBy: 'admin', requestId: createId(), name: 'Ada' });
const newSubuser = (ownerId: string, name = 'Helper') =>
  people.createSubuser({ ownerId, requestId: createId(), name, description: 'helps' });

async function noticesAbout(userId: string): Promise<SystemMessage[]> {
  const rows = await mongo.db
    .collection<{ recipientUserId: string; payload: { buffer: Uint8Array } }>('outbox')
    .find({ recipientUserId: userId })
    .toArray();
  return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
}

describe("a connector's key", () => {
  const ask = (key: string, name = 'Ada') => ({
    createdBy: 'client:telegram',
    requestId: createId(),
    connector: 'telegram',
    key,
    name,
  });

  it('creates its user once, also when asked for many times at the same moment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => people.resolveConnectorKey(ask('42'))),
    );
    expect(new Set(answers.map(({ user }) => user.id)).size).toBe(1);
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const later = await people.resolveConnectorKey(ask('42', 'Another name'));
    expect(later).toEqual({ user: answers[0]!.user, created: false });
  });

  it('that a crash left half-way is completed by the next call', async () => {
    const { user } = await people.resolveConnectorKey(ask('43'));
    await mongo.db.collection<{ _id: string }>('connector_keys').deleteOne({ _id: 'telegram:43' });
    await expect(people.resolveConnectorKey(ask('43'))).resolves.toEqual({ user, created: false });
    await expect(people.resolveConnectorKey(ask('43'))).resolves.toEqual({ user, created: false });
  });

  it('makes somebody new after its user was deleted', async () => {
    const { user } = await people.resolveConnectorKey(ask('44'));
    await people.deleteUser({ requestId: 'bye', userId: user.id });
    const again = await people.resolveConnectorKey(ask('44'));
    expect(again.created).toBe(true);
    expect(again.user.nametag).not.toBe(user.nametag);
  });
});

describe('subusers', () => {
  it('are listed page by page, oldest first, to their owner alone', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const name of names) await newSubuser(ada.id, name);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await people.listSubusers({ ownerId: ada.id, pageSize: 2, pageToken });
      seen.push(...page.subusers.map(({ name }) => name));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(names);
    await expect(
      people.listSubusers({ ownerId: bob.id, pageSize: 0, pageToken: '' }),
    ).resolves.toEqual({
      subusers: [],
      nextPageToken: '',
    });
  });

  it('keep a later name when an earlier rename is retried', async () => {
    const ada = await newUser();
    const { id: subuserId } = await newSubuser(ada.id);
    const rename = (requestId: string, name: string) =>
      people.renameSubuser({ ownerId: ada.id, requestId, subuserId, name });
    await rename('first', 'One');
    await rename('second', 'Two');
    await expect(rename('first', 'One')).resolves.toMatchObject({ name: 'Two' });
    const notices = await noticesAbout(subuserId);
    const [one, two] = ['One', 'Two'].map((name) => [NoticeKind.USER_RENAMED, name]);
    // One for each service that has to hear of it.
    expect(notices.map(({ notice }) => [notice?.kind, notice?.subuserName])).toEqual([
      one,
      one,
      two,
      two,
    ]);
  });

  it('are renamed by their owner alone, and keep their nametag', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const subuser = await newSubuser(ada.id);
    const rename = { requestId: 'r', subuserId: subuser.id, name: ' Better ' };
    await expect(people.renameSubuser({ ...rename, ownerId: bob.id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(people.renameSubuser({ ...rename, ownerId: ada.id })).resolves.toEqual({
      ...subuser,
      name: 'Better',
    });
  });

  it('are at most 1,000 to an owner', async () => {
    const ada = await newUser();
    const createdAt = new Date();
    const many = Array.from({ length: 1_000 }, (_, index) => ({
      _id: `${ada.id}sub${index}`,
      nametag: `${ada.nametag}sub${index}`,
      name: 'Helper',
      parentUserId: ada.id,
      createdAt,
    }));
    await mongo.db.collection<{ _id: string }>('users').insertMany(many);
    await expect(newSubuser(ada.id)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await people.deleteSubuser(ada.id, { requestId: 'bye', userId: many[0]!._id });
    await expect(newSubuser(ada.id)).resolves.toMatchObject({ parentUserId: ada.id });
    await people.deleteUser({ requestId: 'bye', userId: ada.id });
    await expect(people.users.findByIds(many.map(({ _id }) => _id))).resolves.toEqual([]);
  });

  it('never outlive an owner that is deleted while they are being created', async () => {
    for (let round = 0; round < 15; round += 1) {
      const ada = await newUser();
      const creations = Array.from({ length: 4 }, () => newSubuser(ada.id).catch(() => undefined));
      await people.deleteUser({ requestId: 'bye', userId: ada.id });
      const made = (await Promise.all(creations)).filter((subuser) => subuser !== undefined);
      const alive = await people.users.findByIds(made.map(({ id }) => id));
      expect(alive).toEqual([]);
    }
  });
});

describe('deleting a subuser', () => {
  it('takes it away and tells each service once, in the same instant', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    const command = { requestId: 'bye', userId: subuser.id };
    await people.deleteSubuser(ada.id, command);
    await expect(people.users.findById(subuser.id)).resolves.toBeUndefined();
    const notices = await noticesAbout(subuser.id);
    const heard = notices.map(({ recipient, notice }) => [recipient?.target, notice?.kind]);
    expect(heard).toEqual(
      ['social-graph', 'agent-runtime', 'topology'].map((value) => [
        { $case: 'service', value },
        NoticeKind.USER_DELETED,
      ]),
    );
    const revoked = await people.revocations.list(new Date());
    expect(revoked.map(({ id }) => id)).toContain(`user:${subuser.id}`);
  });

  it('is the same when it is asked for again under the same request, and NOT_FOUND under another', async () => {
    const ada = await newUser();
    const subuser = await newSubuser(ada.id);
    const command = { requestId: 'bye', userId: subuser.id };
    await Promise.all([
      people.deleteSubuser(ada.id, command),
      people.deleteSubuser(ada.id, command),
    ]);
    await people.deleteSubuser(ada.id, command);
    await expect(noticesAbout(subuser.id)).resolves.toHaveLength(3);
    const other = people.deleteSubuser(ada.id, { ...command, requestId: 'again' });
    await expect(other).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of somebody else is NOT_FOUND and changes nothing', async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const subuser = await newSubuser(ada.id);
    const theft = people.deleteSubuser(bob.id, { requestId: 'bye', userId: subuser.id });
    await expect(theft).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(people.users.findById(subuser.id)).resolves.toEqual(subuser);
    await expect(noticesAbout(subuser.id)).resolves.toEqual([]);
  });
});
