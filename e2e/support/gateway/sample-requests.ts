import type { DescMethod, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { ServiceName } from '@daycare/contracts/access';
import { rpcAttempts, type AttackerResources, type Resources } from '../isolation/attempts';

/** Returns a request to an RPC for these resources, as JSON. If it has a request id, sending it again is a retry. */
export function sampleRequest(
  service: ServiceName,
  { localName }: DescMethod,
  resources: Resources,
  own: AttackerResources,
): JsonValue {
  const attempts = rpcAttempts[service][localName];
  if (!attempts)
    throw new Error('Add an attempt for this RPC to e2e/support/isolation/attempts.ts');
  const attempt = typeof attempts === 'function' ? attempts : attempts[0]!;
  return toJsonObject(attempt(resources, own));
}

interface Choice {
  readonly $case: string;
  readonly value: unknown;
}

/** Converts a message to JSON, in which the chosen member of a `oneof` is a field with that member's name. */
function toJsonObject(message: object): JsonObject {
  const fields = Object.entries(message).map(([name, value]: [string, unknown]) =>
    isChoice(value) ? [value.$case, toJsonValue(value.value)] : [name, toJsonValue(value)],
  );
  return Object.fromEntries(fields) as JsonObject;
}

function toJsonValue(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(toJsonValue);
  return typeof value === 'object' && value !== null ? toJsonObject(value) : (value as JsonValue);
}

function isChoice(value: unknown): value is Choice {
  return typeof value === 'object' && value !== null && '$case' in value;
}

/** Sorts RPCs so that what a request names still exists: reads, then changes, then removals, then session ends. */
export function leastDestructiveFirst(rpcs: readonly DescMethod[]): DescMethod[] {
  return rpcs.toSorted((one, other) => destructiveRank(one) - destructiveRank(other));
}

const destructiveNames = /^(delete|remove|end|revoke|reset|leave|unsubscribe|unshare|block)/;
/** These RPCs end the caller's session, so they come last, in this order. */
const sessionEnding: readonly string[] = ['revokeSessions', 'deleteUser'];

function destructiveRank({ localName, input }: DescMethod): number {
  if (sessionEnding.includes(localName)) return 2 + sessionEnding.indexOf(localName);
  if (destructiveNames.test(localName)) return 1;
  return input.field['requestId'] ? 0.5 : 0;
}
