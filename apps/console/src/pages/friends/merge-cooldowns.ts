/** The time before which a person cannot be sent another friend request. */
export interface Cooldown {
  readonly nametag: string;
  readonly untilMs: number;
}

/**
 * Merges two lists; of two cooldowns for the same nametag, the one that ends later is kept. Entries of `mine` are
 * placed at the end, because a list that is full drops its first entries.
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
