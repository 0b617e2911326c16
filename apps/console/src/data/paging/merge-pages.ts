import type { Topology } from '@daycare/contracts/topology';

type Lists = Readonly<Record<string, unknown>>;

/** Appends the next page's entries to a view. Every section has one list, which continues from page to page. */
export function mergePages(one: Topology, next: Topology): Topology {
  const merged = Object.entries(one as unknown as Lists).map(([name, section]) => [
    name,
    isSection(section) ? mergeLists(section, (next as unknown as Lists)[name]) : section,
  ]);
  const whole: Lists = Object.fromEntries(merged) as Lists;
  return whole as unknown as Topology;
}

function mergeLists(one: Lists, next: unknown): Lists {
  const more = isSection(next) ? next : {};
  const merged = Object.entries(one).map(([name, value]) => {
    const rest = more[name];
    return [name, isList(value) && isList(rest) ? [...value, ...rest] : value];
  });
  return Object.fromEntries(merged) as Lists;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isSection(value: unknown): value is Lists {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}
