import { FieldChecks } from '@daycare/api';
import { connectorKeyScope } from '../domain/request-key';
import { nameLimits, type User } from '../domain/user';
import type { ConnectorKeyStore } from '../store/connector-key-store';
import type { UserStore } from '../store/user-store';
import type { InsertedUser, InsertUser } from './insert-user';

export interface ResolveConnectorKeyCommand {
  /** The credential of the caller. */
  readonly createdBy: string;
  readonly requestId: string;
  readonly connector: string;
  readonly key: string;
  /** The name for a new user. */
  readonly name: string;
}

export interface ResolveConnectorKeyDeps {
  readonly users: UserStore;
  readonly connectorKeys: ConnectorKeyStore;
  readonly insertUser: InsertUser;
}

/**
 * Finds the user of a connector's key, or creates it. Concurrent calls use the key as their request id,
 * so the unique index on requests lets exactly one of them create the user.
 */
export function makeResolveConnectorKey({
  users,
  connectorKeys,
  insertUser,
}: ResolveConnectorKeyDeps) {
  return async (command: ResolveConnectorKeyCommand): Promise<InsertedUser> => {
    checkFields(command);
    const connectorKey = `${command.connector}:${command.key}`;
    const known = await findKnown(users, connectorKeys, connectorKey);
    if (known) return { user: known, created: false };
    const draft = { name: command.name.trim(), parentUserId: undefined, description: '' };
    const request = { scope: connectorKeyScope, id: connectorKey, fingerprint: connectorKey };
    const made = await insertUser(draft, command.createdBy, request);
    await connectorKeys.assign(connectorKey, made.user.id);
    return made;
  };
}

async function findKnown(
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
      'must be 1 to 32 lower-case letters, digits or "-"',
    )
    .line(key, 'key', { min: 1, max: 200 })
    .line(name, 'name', nameLimits)
    .done();
}
