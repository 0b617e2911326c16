import { FieldChecks } from '@daycare/api';
import { connectorKeyScope } from '../domain/request-key';
import { nameLimits, type User } from '../domain/user';
import type { ConnectorKeyStore } from '../store/connector-key-store';
import type { UserStore } from '../store/user-store';
import type { InsertedUser, InsertUser } from './insert-user';

export interface ResolveConnectorKeyCommand {
  /** The caller's credential. */
  readonly createdBy: string;
  readonly requestId: string;
  readonly connector: string;
  readonly key: string;
  /** The name for a new user. */
  readonly name: string;
}

/** A connector's key for a person, and what is needed to create a user for it. */
export interface ConnectorKey {
  /** With the connector's name in front. */
  readonly connectorKey: string;
  /** The name for a new user. */
  readonly name: string;
  /** Who creates the user: `admin`, `client:<name>` or `oidc:<provider>`. */
  readonly createdBy: string;
}

export interface ResolveConnectorKeyDeps {
  readonly users: UserStore;
  readonly connectorKeys: ConnectorKeyStore;
  readonly insertUser: InsertUser;
}

/** Finds the user to whom a connector's key belongs, or creates one. */
export function makeResolveConnectorKey(deps: ResolveConnectorKeyDeps) {
  const resolveUser = makeResolveUser(deps);
  return async (command: ResolveConnectorKeyCommand): Promise<InsertedUser> => {
    checkFields(command);
    const { connector, key, name, createdBy } = command;
    return resolveUser({ connectorKey: `${connector}:${key}`, name: name.trim(), createdBy });
  };
}

/**
 * Like `makeResolveConnectorKey`, for a key that is known to be valid. Concurrent calls for one key use it as their
 * request id, and each request is reserved for one user, so exactly one of the calls creates the user.
 */
export function makeResolveUser({ users, connectorKeys, insertUser }: ResolveConnectorKeyDeps) {
  return async ({ connectorKey, name, createdBy }: ConnectorKey): Promise<InsertedUser> => {
    const existing = await findByKey(users, connectorKeys, connectorKey);
    if (existing) return { user: existing, created: false };
    const draft = { name, parentUserId: undefined, description: '' };
    const request = { scope: connectorKeyScope, id: connectorKey, fingerprint: connectorKey };
    const inserted = await insertUser(draft, createdBy, request);
    await connectorKeys.assign(connectorKey, inserted.user.id);
    return inserted;
  };
}

async function findByKey(
  users: UserStore,
  connectorKeys: ConnectorKeyStore,
  connectorKey: string,
): Promise<User | undefined> {
  const userId = await connectorKeys.findUserId(connectorKey);
  return userId === undefined ? undefined : users.findById(userId);
}

function checkFields({ requestId, connector, key, name }: ResolveConnectorKeyCommand): void {
  new FieldChecks()
    .requestId(requestId)
    .require(
      /^[a-z][a-z0-9-]{0,31}$/.test(connector),
      'connector',
      'must be 1 to 32 lower-case letters, digits or "-", starting with a letter',
    )
    .line(key, 'key', { min: 1, max: 200 })
    .line(name, 'name', nameLimits)
    .done();
}
