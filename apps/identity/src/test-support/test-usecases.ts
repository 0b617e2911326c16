import { createId } from '@daycare/api/create-id';
import { SystemMessage } from '@daycare/contracts/common';
import { OutboxStore } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { testDatabase } from '@daycare/testing';
import { subuserLimits } from '../domain/subuser-limits';
import { indexes } from '../indexes';
import { ConnectorKeyStore } from '../store/connector-key-store';
import { DeletionStore } from '../store/deletion-store';
import { RenameStore } from '../store/rename-store';
import { RevocationStore } from '../store/revocation-store';
import { SessionStore } from '../store/session-store';
import { PersonalTokenStore } from '../store/sign-in/personal-token-store';
import { SignInCodeStore } from '../store/sign-in/sign-in-code-store';
import { UserStore } from '../store/user-store';
import { makeCreateSubuser } from '../usecases/create-subuser';
import { makeCreateUser } from '../usecases/create-user';
import { makeDeleteUsers } from '../usecases/delete-users';
import { makeInsertUser } from '../usecases/insert-user';
import { makeListSubusers } from '../usecases/list-subusers';
import { makeRenameSubuser } from '../usecases/rename-subuser';
import { makeResolveConnectorKey } from '../usecases/resolve-connector-key';

export const maxSubusers = 8;
/** The longest lifetime of any token that another replica has issued. */
export const longestTokenLifetimeMs = 7_200_000;

/** Opens the usecases for users and subusers on a separate database. */
export async function openTestUsecases() {
  const mongo = await testDatabase('identity');
  await ensureIndexes(mongo.db, indexes);
  const usecases = build(mongo);
  await usecases.revocations.open();
  return {
    mongo,
    usecases,
    newUser: () => usecases.createUser({ createdBy: 'admin', requestId: createId(), name: 'Ada' }),
    newSubuser: (ownerId: string, name = 'Helper') =>
      usecases.createSubuser({ ownerId, requestId: createId(), name, description: 'helps' }),
    noticesAbout: async (userId: string): Promise<SystemMessage[]> => {
      const rows = await mongo.db
        .collection<{ recipientUserId: string; payload: { buffer: Uint8Array } }>('outbox')
        .find({ recipientUserId: userId })
        .toArray();
      return rows.map(({ payload }) => SystemMessage.decode(payload.buffer));
    },
    close: () => mongo.close(),
  };
}

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
      wake: () => undefined,
    }),
    resolveConnectorKey: makeResolveConnectorKey({ users, connectorKeys, insertUser }),
    ...makeDeleteUsers({
      codes: new SignInCodeStore(db),
      personalTokens: new PersonalTokenStore(db, revocations),
      users,
      deletions,
      now,
      sessions: new SessionStore(db),
      longestTokenLifetimeMs: async () => longestTokenLifetimeMs,
      wake: () => undefined,
    }),
  };
}
