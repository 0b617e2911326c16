import type { FieldChecks } from '@daycare/api';
import type { Descriptor, DescriptorKind, DescriptorOf } from './descriptor';

type Check<K extends DescriptorKind> = (descriptor: DescriptorOf<K>, fields: Fields) => void;

/** Where to report problems, and the path of the descriptor within the request. */
interface Fields {
  readonly checks: FieldChecks;
  readonly path: string;
}

const limits = {
  connector: { min: 1, max: 64 },
  connectorId: { min: 1, max: 256 },
  name: { min: 1, max: 100 },
  optionalName: { min: 0, max: 100 },
  description: { min: 0, max: 1_000 },
  systemPrompt: { min: 0, max: 32_768 },
};

const checksOf: { readonly [K in DescriptorKind]: Check<K> } = {
  user({ connector, connectorUserId, channelId }, { checks, path }) {
    checkConnector(connector, { checks, path });
    checkConnectorId(connectorUserId, at(path, 'connector_user_id'), checks);
    checkConnectorId(channelId, at(path, 'channel_id'), checks);
  },
  subuser({ id, name, systemPrompt }, { checks, path }) {
    checks.id(id, at(path, 'id')).line(name, at(path, 'name'), limits.name);
    checks.text(systemPrompt, at(path, 'system_prompt'), limits.systemPrompt);
  },
  permanent({ id, name, description, systemPrompt }, { checks, path }) {
    checks.id(id, at(path, 'id')).line(name, at(path, 'name'), limits.name);
    checks.text(description, at(path, 'description'), limits.description);
    checks.text(systemPrompt, at(path, 'system_prompt'), limits.systemPrompt);
  },
  app({ id, parentAgentId, name, systemPrompt }, { checks, path }) {
    checks.id(id, at(path, 'id')).id(parentAgentId, at(path, 'parent_agent_id'));
    checks.line(name, at(path, 'name'), limits.name);
    checks.text(systemPrompt, at(path, 'system_prompt'), limits.systemPrompt);
  },
  subagent({ id, parentAgentId, name }, { checks, path }) {
    checks.id(id, at(path, 'id')).id(parentAgentId, at(path, 'parent_agent_id'));
    checks.line(name, at(path, 'name'), limits.optionalName);
  },
  cron({ id }, { checks, path }) {
    checks.id(id, at(path, 'id'));
  },
  heartbeat({ userId }, { checks, path }) {
    checks.id(userId, at(path, 'user_id'));
  },
};

/**
 * Checks every field of a descriptor. `path` is the path of the descriptor within the request; empty when the
 * descriptor's fields are fields of the request itself. Call `checks.done()` afterwards.
 */
export function checkDescriptor(
  descriptor: Descriptor,
  checks: FieldChecks,
  path = `descriptor.${descriptor.kind}`,
): void {
  checkByKind(descriptor, { checks, path });
}

function checkByKind<K extends DescriptorKind>(descriptor: DescriptorOf<K>, fields: Fields): void {
  const check: Check<K> = checksOf[descriptor.kind];
  check(descriptor, fields);
}

function checkConnector(connector: string, { checks, path }: Fields): void {
  const { min, max } = limits.connector;
  checks.require(
    connector.length <= max && /^[a-z0-9][a-z0-9_-]*$/.test(connector),
    at(path, 'connector'),
    `must be ${min} to ${max} lower-case letters, digits, "_" or "-", starting with a letter or digit`,
  );
}

function at(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** Refuses white space at either end, because ids that look the same must be the same. */
function checkConnectorId(id: string, field: string, checks: FieldChecks): void {
  checks
    .line(id, field, limits.connectorId)
    .require(id === id.trim(), field, 'must not start or end with white space');
}
