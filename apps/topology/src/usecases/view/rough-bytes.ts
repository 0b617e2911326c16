const perValue = 16;

/** About how much memory a value of plain objects, lists, maps and strings takes. */
export function roughBytes(value: unknown): number {
  if (typeof value === 'string') return perValue + 2 * value.length;
  if (typeof value !== 'object' || value === null) return perValue;
  if (value instanceof Map) return roughBytes([...value]);
  let bytes = perValue;
  for (const field of Object.values(value)) bytes += perValue + roughBytes(field);
  return bytes;
}
