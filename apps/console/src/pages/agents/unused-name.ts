/** `main` for the first conversation; later ones get a number. `fallback` when everything is taken. */
export function unusedName(labels: ReadonlySet<string>, fallback: string): string {
  if (!labels.has('console:me#main')) return 'main';
  for (let number = 2; number < 1_000; number += 1)
    if (!labels.has(`console:me#chat-${number}`)) return `chat-${number}`;
  return fallback;
}

/** The channel of a conversation with that name. */
export function toChannelId(name: string): string {
  return name.trim().replace(/\s+/g, '-') || 'main';
}
