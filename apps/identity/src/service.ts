import { randomInt } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import { BasicCredentials, KeyRing, makeAuthenticator, TokenVerifier } from '@daycare/auth';
import { ChangeHints, outboxIndexes, OutboxStore } from '@daycare/messaging';
import {
  withChangeHint,
  openMongo,
  openNats,
  startOutbox,
  type BuiltService,
  type ServiceKit,
} from '@daycare/service-kit';
import type { Config } from './config';
import type { Credentials } from './domain/credentials';
import { subuserLimits } from './domain/subuser-limits';
import type { User } from './domain/user';
import { identityHandler } from './rpc/identity-handler';
import { connectorKeyIndexes, ConnectorKeyStore } from './store/connector-key-store';
import { DeletionStore } from './store/deletion-store';
import { RenameStore } from './store/rename-store';
import { revocationIndexes, RevocationStore } from './store/revocation-store';
import { sessionIndexes, SessionStore } from './store/session-store';
import { signingKeyIndexes, SigningKeyStore } from './store/signing-key-store';
import { userIndexes } from './store/user-document';
import { UserStore } from './store/user-store';
import { makeBatchGetUsers } from './usecases/batch-get-users';
import { makeCreateSubuser } from './usecases/create-subuser';
import { makeCreateUser } from './usecases/create-user';
import { makeDeleteUsers, type DeleteCommand } from './usecases/delete-users';
import { makeGetJwks } from './usecases/tokens/get-jwks';
import { makeGetUser } from './usecases/get-user';
import { makeInsertUser } from './usecases/insert-user';
import { makeIssueToken } from './usecases/tokens/issue-token';
import { makeListSubusers } from './usecases/list-subusers';
import { SigningKeys } from './usecases/tokens/signing-keys';
import { RecentRevocations } from './usecases/tokens/recent-revocations';
import { makeRefreshToken } from './usecases/tokens/refresh-token';
import { makeRenameSubuser } from './usecases/rename-subuser';
import { makeUpdateUser } from './usecases/update-user';
import { makeResolveConnectorKey } from './usecases/resolve-connector-key';
import { makeResolveNametag } from './usecases/resolve-nametag';
import { makeRevokeToken } from './usecases/tokens/revoke-token';
import { TokenMint } from './usecases/tokens/token-mint';

const name = 'identity';
const now = (): Date => new Date();

export async function buildService(config: Config, kit: ServiceKit): Promise<BuiltService> {
  const stores = await openStores(config, kit);
  const keys = await startKeys(config, stores, kit);
  const tokens = await buildTokens(config, stores, keys, kit);
  const { connection } = await openNats(config, name, kit);
  const { wake } = startOutbox(config, { connection, outbox: stores.outbox }, kit);
  const hints = new ChangeHints(connection, config.natsPrefix);
  const users = buildUsers(config, stores, { wake, hints });
  const handler = identityHandler({ users, tokens: tokens.usecases });
  const credentials = credentialsOf(config.credentials);
  return {
    services: [handler],
    authenticate: makeAuthenticator({ verifier: tokens.verifier, credentials }),
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores(config: Config, kit: ServiceKit) {
  const indexes = [
    userIndexes,
    connectorKeyIndexes,
    signingKeyIndexes,
    sessionIndexes,
    revocationIndexes,
    ...outboxIndexes,
  ];
  const { client, db } = await openMongo(config, name, indexes, kit);
  const users = new UserStore(db, subuserLimits(config.maxSubusers));
  const connectorKeys = new ConnectorKeyStore(db);
  const revocations = new RevocationStore(db);
  const outbox = new OutboxStore(db, name);
  return {
    db,
    outbox,
    users,
    connectorKeys,
    revocations,
    signingKeys: new SigningKeyStore(db),
    sessions: new SessionStore(db),
    renames: new RenameStore({ client, users, outbox }),
    deletions: new DeletionStore({ client, users, connectorKeys, revocations, outbox }),
  };
}

async function startKeys(config: Config, stores: Stores, { log, stop }: ServiceKit) {
  const keys = new SigningKeys({
    keys: stores.signingKeys,
    now,
    onFailure: (err) => log.warn({ err }, 'signing key maintenance failed; retrying'),
    policy: {
      rotateEveryMs: config.rotateKeysMs,
      announceMs: config.announceKeysMs,
      tokenLifetimeMs: config.accessTokenMs,
    },
  });
  await keys.start();
  stop.add('quiesce', 'keys', async () => keys.stop());
  return keys;
}

async function buildTokens(config: Config, stores: Stores, keys: SigningKeys, kit: ServiceKit) {
  const { users, sessions, revocations, connectorKeys } = stores;
  const { accessTokenMs: accessMs, refreshTokenMs: refreshMs } = config;
  const recent = new RecentRevocations({ revocations, now });
  const published = makeGetJwks({ keys, revocations: recent });
  const ring = new KeyRing({
    refreshMs: 1_000,
    onFailure: (err) =>
      kit.log.warn({ err }, 'reading revocations failed; using the last known ones'),
    fetch: async () => {
      const revoked = await recent.read();
      return { jwks: published.publicKeys(), revoked: new Set(revoked.map(({ id }) => id)) };
    },
  });
  await ring.start();
  kit.stop.add('quiesce', 'key ring', async () => ring.stop());
  const verifier = new TokenVerifier(ring, name);
  const mint = new TokenMint({ keys, sessions, lifetimes: { accessMs, refreshMs }, now });
  const usecases = {
    publicKeys: published.publicKeys,
    listRevoked: published.listRevoked,
    issueToken: makeIssueToken({ users, connectorKeys, mint }),
    refreshToken: makeRefreshToken({
      sessions,
      revocations,
      users,
      mint,
      now,
      accessLifetimeMs: accessMs,
    }),
    revokeToken: makeRevokeToken({
      verifier,
      sessions,
      revocations,
      now,
      accessLifetimeMs: accessMs,
    }),
  };
  return { verifier, usecases };
}

interface UsersDeps {
  readonly wake: () => void;
  readonly hints: ChangeHints;
}

function buildUsers(config: Config, stores: Stores, { wake, hints }: UsersDeps) {
  const { users, connectorKeys, sessions, deletions, renames } = stores;
  const draw = (below: number): number => randomInt(below);
  const insertUser = makeInsertUser({ users, newId: createId, now, draw });
  const tokenLifetimeMs = config.accessTokenMs;
  const deleting = makeDeleteUsers({ users, sessions, deletions, now, tokenLifetimeMs, wake });
  const hintFamily = ({ id, parentUserId }: User): void => hints.publish([id, parentUserId]);
  return {
    createUser: makeCreateUser({ insertUser }),
    getUser: makeGetUser({ users }),
    batchGetUsers: makeBatchGetUsers({ users }),
    resolveNametag: makeResolveNametag({ users }),
    resolveConnectorKey: makeResolveConnectorKey({ users, connectorKeys, insertUser }),
    createSubuser: withChangeHint(makeCreateSubuser({ insertUser }), hintFamily),
    listSubusers: makeListSubusers({ users }),
    updateUser: makeUpdateUser({ users }),
    renameSubuser: withChangeHint(
      makeRenameSubuser({ users, renames, newId: createId, wake }),
      hintFamily,
    ),
    deleteSubuser: withChangeHint(
      (ownerId: string, command: DeleteCommand) => deleting.deleteSubuser(ownerId, command),
      (_done, ownerId, { userId }) => hints.publish([ownerId, userId]),
    ),
    deleteUser: withChangeHint(
      (command: DeleteCommand) => deleting.deleteUser(command),
      (_done, { userId }) => hints.publish([userId]),
    ),
  };
}

function credentialsOf({ admin, services, clients }: Credentials): BasicCredentials {
  const credentials = new BasicCredentials();
  credentials.add('admin', admin, { kind: 'admin' });
  for (const [service, secret] of Object.entries(services)) {
    credentials.add(service, secret, { kind: 'service', name: service });
  }
  for (const [client, secret] of Object.entries(clients)) {
    credentials.add(client, secret, { kind: 'client', name: client });
  }
  return credentials;
}
