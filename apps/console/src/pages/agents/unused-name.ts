/**
 * Returns `main` if it is free, else the first free name from `chat-2` on; `fallback` if all up to `chat-999` are in
 * use.
 */
export function unusedName(labels: ReadonlySet<string>, fallback: string): string {
  if (!labels.has('console:me#main')) return 'main';
  for (let number = 2; number < 1_000; number += 1)
    if (!labels.has(`console:me#chat-${number}`)) return `chat-${number}`;
  return fallback;
}

/** Returns the channel id for a conversation with this name. */
export function toChannelId(name: string): string {
  return name.trim().replace(/\s+/g, '-') || 'main';
}
