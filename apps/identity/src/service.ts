import { randomInt } from 'node:crypto';
import { createId } from '@daycare/api/create-id';
import { makeAuthenticator } from '@daycare/auth';
import { ChangeHints, OutboxStore } from '@daycare/messaging';
import {
  withChangeHint,
  openMongo,
  openNats,
  startOutbox,
  type BuiltService,
  type ServiceKit,
} from '@daycare/service-kit';
import { buildSignIn } from './build-sign-in';
import { buildTokens } from './build-tokens';
import type { Config } from './config';
import { subuserLimits } from './domain/subuser-limits';
import type { User } from './domain/user';
import { indexes } from './indexes';
import { identityHandler } from './rpc/identity-handler';
import { backfillReservations } from './store/backfill-reservations';
import { ConnectorKeyStore } from './store/connector-key-store';
import { DeletionStore } from './store/deletion-store';
import { RenameStore } from './store/rename-store';
import { RevocationStore } from './store/revocation-store';
import { SessionStore } from './store/session-store';
import { SigningKeyStore } from './store/signing-key-store';
import { PendingSignInStore } from './store/sign-in/pending-sign-in-store';
import { PersonalTokenStore } from './store/sign-in/personal-token-store';
import { SignInCodeStore } from './store/sign-in/sign-in-code-store';
import { UserStore } from './store/user-store';
import { makeBatchGetUsers } from './usecases/batch-get-users';
import { makeCreateSubuser } from './usecases/create-subuser';
import { makeCreateUser } from './usecases/create-user';
import { makeDeleteUsers, type DeleteCommand } from './usecases/delete-users';
import { makeGetUser } from './usecases/get-user';
import { makeInsertUser, type InsertUser } from './usecases/insert-user';
import { makeListSubusers } from './usecases/list-subusers';
import { makeListUsers } from './usecases/list-users';
import { makeRenameSubuser } from './usecases/rename-subuser';
import { makeUpdateUser } from './usecases/update-user';
import { makeResolveConnectorKey } from './usecases/resolve-connector-key';
import { makeResolveNametag } from './usecases/resolve-nametag';

const name = 'identity';
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const stores = await openStores(config, kit);
  const tokens = await buildTokens(config, stores, kit);
  const { credentials, verifier, mint, isInUse, longestTokenLifetimeMs } = tokens;
  const draw = (below: number): number => randomInt(below);
  const insertUser = makeInsertUser({ users: stores.users, newId: createId, now, draw });
  const signIn = buildSignIn(config, stores, {
    mint,
    isInUse,
    longestTokenLifetimeMs,
    insertUser,
    log: kit.log,
  });
  const { connection } = await openNats(config, name, kit);
  const { wake } = startOutbox(config, { connection, outbox: stores.outbox }, kit);
  const hints = new ChangeHints(connection, config.natsPrefix);
  const users = buildUsers(stores, { longestTokenLifetimeMs, wake, hints, insertUser });
  const handler = identityHandler({
    users,
    tokens: tokens.usecases,
    signIn,
    status: kit.status.handlers,
  });
  return {
    services: [handler],
    authenticate: makeAuthenticator({ verifier, credentials }),
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores(config: Config, kit: ServiceKit) {
  const { client, db } = await openMongo(config, name, indexes, kit);
  await backfillReservations(db);
  const users = new UserStore(db, subuserLimits(config.maxSubusers));
  const connectorKeys = new ConnectorKeyStore(db);
  const revocations = new RevocationStore(db);
  await revocations.open();
  const outbox = new OutboxStore(db, name);
  return {
    db,
    outbox,
    users,
    connectorKeys,
    revocations,
    signingKeys: new SigningKeyStore(db),
    clock: outbox.clock,
    sessions: new SessionStore(db),
    personalTokens: new PersonalTokenStore(db, revocations),
    signInCodes: new SignInCodeStore(db),
    pendingSignIns: new PendingSignInStore(db),
    renames: new RenameStore({ client, users, outbox }),
    deletions: new DeletionStore({ client, users, connectorKeys, revocations, outbox }),
  };
}

interface UsersDeps {
  readonly longestTokenLifetimeMs: () => Promise<number>;
  readonly wake: () => void;
  readonly hints: ChangeHints;
  readonly insertUser: InsertUser;
}

function buildUsers(stores: Stores, deps: UsersDeps) {
  const { users, connectorKeys, sessions, personalTokens, deletions, renames } = stores;
  const { longestTokenLifetimeMs, wake, hints, insertUser } = deps;
  const deleteUsers = makeDeleteUsers({
    users,
    sessions,
    personalTokens,
    codes: stores.signInCodes,
    deletions,
    longestTokenLifetimeMs,
    wake,
    now,
  });
  const hintFamily = ({ id, parentUserId }: User): void => hints.publish([id, parentUserId]);
  return {
    createUser: makeCreateUser({ insertUser }),
    getUser: makeGetUser({ users }),
    batchGetUsers: makeBatchGetUsers({ users }),
    resolveNametag: makeResolveNametag({ users }),
    resolveConnectorKey: makeResolveConnectorKey({ users, connectorKeys, insertUser }),
    createSubuser: withChangeHint(makeCreateSubuser({ insertUser }), hintFamily),
    listSubusers: makeListSubusers({ users }),
    listUsers: makeListUsers({ users }),
    updateUser: makeUpdateUser({ users }),
    renameSubuser: withChangeHint(makeRenameSubuser({ users, renames, wake }), hintFamily),
    deleteSubuser: withChangeHint(
      (ownerId: string, command: DeleteCommand) => deleteUsers.deleteSubuser(ownerId, command),
      (_done, ownerId, { userId }) => hints.publish([ownerId, userId]),
    ),
    deleteUser: withChangeHint(
      (command: DeleteCommand) => deleteUsers.deleteUser(command),
      (_done, { userId }) => hints.publish([userId]),
    ),
  };
}
