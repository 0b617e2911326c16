import type { DescMethod, JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { ServiceName } from '@daycare/contracts/access';
import { rpcAttempts, type Own, type Things } from '../isolation/attempts';

/** A request of an RPC about the given resources, as JSON. Sending it again is a retry, because its request id is fixed. */
export function sampleRequest(
  service: ServiceName,
  { localName }: DescMethod,
  things: Things,
  own: Own,
): JsonValue {
  const attempts = rpcAttempts[service][localName];
  if (!attempts) throw new Error('Describe in support/isolation/attempts.ts how to try it');
  const attempt = typeof attempts === 'function' ? attempts : attempts[0]!;
  return toJsonObject(attempt(things, own));
}

interface Choice {
  readonly $case: string;
  readonly value: unknown;
}

/** In JSON, the chosen member of a `oneof` is a field with its own name. */
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

/** RPCs that only read come first and those that remove something last, so that all find the resources they name. */
export function leastDestructiveFirst(rpcs: readonly DescMethod[]): DescMethod[] {
  return rpcs.toSorted((one, other) => destructiveRank(one) - destructiveRank(other));
}

const ends = /^(delete|remove|end|revoke|reset|leave|unsubscribe|unshare|block)/;
/** These RPCs end the session of the caller. */
const final: readonly string[] = ['revokeSessions', 'deleteUser'];

function destructiveRank({ localName, input }: DescMethod): number {
  if (final.includes(localName)) return 2 + final.indexOf(localName);
  if (ends.test(localName)) return 1;
  return input.field['requestId'] ? 0.5 : 0;
}
