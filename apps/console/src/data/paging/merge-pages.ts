import type { Topology } from '@daycare/contracts/topology';

type Fields = Readonly<Record<string, unknown>>;

/** Appends the next page's entries to a view. Every section has one list, which continues from page to page. */
export function mergePages(view: Topology, next: Topology): Topology {
  const merged = Object.entries(view as unknown as Fields).map(([name, section]) => [
    name,
    isSection(section) ? mergeLists(section, (next as unknown as Fields)[name]) : section,
  ]);
  const whole: Fields = Object.fromEntries(merged) as Fields;
  return whole as unknown as Topology;
}

function mergeLists(section: Fields, next: unknown): Fields {
  const nextSection = isSection(next) ? next : {};
  const merged = Object.entries(section).map(([name, value]) => {
    const nextValue = nextSection[name];
    return [name, isList(value) && isList(nextValue) ? [...value, ...nextValue] : value];
  });
  return Object.fromEntries(merged) as Fields;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isSection(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}
