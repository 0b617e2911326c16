/** The time before which a person cannot be sent another friend request. */
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
    const existing = merged.get(cooldown.nametag);
    merged.delete(cooldown.nametag);
    const isExistingLater = existing && existing.untilMs > cooldown.untilMs;
    merged.set(cooldown.nametag, isExistingLater ? existing : cooldown);
  }
  return [...merged.values()];
}
