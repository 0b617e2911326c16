/** A person who cannot be sent a request before a certain time. */
export interface Cooldown {
  readonly nametag: string;
  readonly untilMs: number;
}

/**
 * Merges two lists into one entry for each nametag: the cooldown that ends last. Entries of the first list come last,
 * because a list that is full drops its first entries.
 */
export function mergeCooldowns(
  mine: readonly Cooldown[],
  stored: readonly Cooldown[],
): readonly Cooldown[] {
  const merged = new Map<string, Cooldown>();
  for (const cooldown of [...stored, ...mine]) {
    const known = merged.get(cooldown.nametag);
    merged.delete(cooldown.nametag);
    merged.set(cooldown.nametag, known && known.untilMs > cooldown.untilMs ? known : cooldown);
  }
  return [...merged.values()];
}
