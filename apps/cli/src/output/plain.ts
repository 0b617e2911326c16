/**
 * Converts a contract message to plain data for JSON and YAML: fields named as in the contract's JSON form,
 * times as ISO strings, bytes in base64, the set member of a oneof as a separate field.
 */
export function toPlain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(toField));
}

function toField([name, value]: [string, unknown]): [string, unknown][] {
  if (value === undefined) return [];
  return isOneof(value) ? [[value.$case, toPlain(value.value)]] : [[name, toPlain(value)]];
}

function isOneof(value: unknown): value is { readonly $case: string; readonly value: unknown } {
  return typeof value === 'object' && value !== null && '$case' in value;
}
