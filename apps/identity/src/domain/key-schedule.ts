/** When a signing key was created and when it starts to sign. */
export interface KeyTimes {
  readonly id: string;
  /** 1 for the first key; no two keys have the same generation. */
  readonly generation: number;
  readonly createdAt: Date;
  readonly activeFrom: Date;
  /**
   * The longest lifetime of any token that this key may have signed; replicas may be configured with different ones.
   */
  readonly maxTokenMs: number;
}

export interface KeyPolicy {
  readonly rotateEveryMs: number;
  /** How long a key is published before it signs; must exceed the interval at which verifiers fetch keys. */
  readonly announceMs: number;
  /** How long a token issued by this replica is valid. */
  readonly tokenLifetimeMs: number;
}

export interface KeyPlan<K extends KeyTimes> {
  /** The key that signs now; undefined only while there is no key at all. */
  readonly signing: K | undefined;
  readonly published: readonly K[];
  readonly retired: readonly K[];
  /** The next key to create, if one is due. */
  readonly due: { readonly generation: number; readonly activeFrom: Date } | undefined;
}

/**
 * Decides what each key is used for at a given time. A key is published before it signs, and until the last token that
 * it signed has expired, so verifiers know the key of every valid token. There are two exceptions: the very first key
 * signs immediately, and so does a key for which an operator removes all older ones (`SigningKeys.rotate`).
 */
export function planKeys<K extends KeyTimes>(
  keys: readonly K[],
  policy: KeyPolicy,
  now: Date,
): KeyPlan<K> {
  const ordered = [...keys].sort((a, b) => a.generation - b.generation);
  const signing = ordered.findLast(({ activeFrom }) => activeFrom <= now) ?? ordered[0];
  const isRetired = (index: number): boolean => {
    const successor = ordered[index + 1];
    const maxTokenMs = ordered[index]?.maxTokenMs ?? 0;
    return !!successor && successor.activeFrom.getTime() + maxTokenMs < now.getTime();
  };
  return {
    signing,
    published: ordered.filter((_, index) => !isRetired(index)),
    retired: ordered.filter((_, index) => isRetired(index)),
    due: dueKey(ordered.at(-1), policy, now),
  };
}

function dueKey(newest: KeyTimes | undefined, policy: KeyPolicy, now: Date): KeyPlan<never>['due'] {
  if (!newest) return { generation: 1, activeFrom: now };
  if (now.getTime() - newest.createdAt.getTime() < policy.rotateEveryMs) return undefined;
  const activeFrom = new Date(now.getTime() + policy.announceMs);
  return { generation: newest.generation + 1, activeFrom };
}

/** Returns the longest lifetime of any token that one of the keys may have signed or may yet sign. */
export function longestTokenLifetimeMs(
  keys: readonly KeyTimes[],
  { tokenLifetimeMs }: KeyPolicy,
): number {
  return Math.max(tokenLifetimeMs, ...keys.map(({ maxTokenMs }) => maxTokenMs));
}
