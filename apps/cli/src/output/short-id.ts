import { safeLine } from './safe-text';

const shortLength = 8;

/** Ids of users and agents, and the longer ids of other objects, e.g. of crons. */
const idPattern = /^(?:[a-z][a-z0-9]{23}|[0-9a-f]{40})$/;

export function isId(text: string): boolean {
  return idPattern.test(text);
}

/** Returns the first characters of an id, which commands accept in its place; returns any other text unchanged. */
export function shortId(text: string): string {
  return isId(text) ? text.slice(0, shortLength) : text;
}

/** Returns an agent's label for people: the id in `cron:<id>` becomes the cron's name or, if unknown, a short id. */
export function labelText(
  label: string,
  crons: readonly { readonly id: string; readonly name: string }[] = [],
): string {
  return label.replace(/[0-9a-f]{40}/g, (id) => {
    const name = crons.find((cron) => cron.id === id)?.name;
    return name === undefined ? shortId(id) : safeLine(name);
  });
}

/** Returns how many characters tell the ids in a list apart, at least as many as `shortId` shows. */
export function distinctLength(ids: readonly string[]): number {
  const all = [...new Set(ids.filter(isId))];
  let length = shortLength;
  while (new Set(all.map((id) => id.slice(0, length))).size < all.length) length += 1;
  return length;
}
