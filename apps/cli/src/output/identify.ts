/** The fields that identify an object in a list, the most specific first. */
const identifyingFields = ['id', 'nodeId', 'path', 'nametag', 'name', 'sequence'] as const;

/** Returns what a script passes to another command to identify this object; empty if no field identifies it. */
export function identify(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields['file'] === 'object') return identify(fields['file']);
  const field = identifyingFields.find((name) =>
    ['string', 'number'].includes(typeof fields[name]),
  );
  return field === undefined ? '' : String(fields[field]);
}
