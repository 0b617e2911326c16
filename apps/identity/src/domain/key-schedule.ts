/** When a signing key was made and from when on it signs. */
export interface KeyTimes {
  readonly id: string;
  /** 1 for the first key ever; each generation exists once. */
  readonly generation: number;
  readonly createdAt: Date;
  readonly activeFrom: Date;
}

export interface KeyPolicy {
  readonly rotateEveryMs: number;
  /** How long a key is published before it signs: longer than verifiers take to fetch it. */
  readonly announceMs: number;
  /** How long a token lives, and so how long a key is published after it last signed. */
  readonly tokenLifetimeMs: number;
}

export interface KeyPlan<K extends KeyTimes> {
  /** Signs now; undefined only while there is no key at all. */
  readonly signing: K | undefined;
  readonly published: readonly K[];
  readonly retired: readonly K[];
  /** The generation that is due, and from when on it is to sign. */
  readonly due: { readonly generation: number; readonly activeFrom: Date } | undefined;
}

/**
 * What each key does at a moment. A key is announced before it signs and stays published until the
 * last token it signed has expired, so a verifier always knows the key of a live token.
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
    return !!successor && successor.activeFrom.getTime() + policy.tokenLifetimeMs < now.getTime();
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
