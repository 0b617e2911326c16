import type { Document } from 'mongodb';

/** An agent that has waiting items. */
export interface WaitingAgent {
  readonly id: string;
  readonly shard: number;
  /** Whether a stop or a reset from the person is among its items. */
  readonly hasControl: boolean;
}

interface WakeKeyParts {
  readonly shard: number;
  readonly agentIds: readonly string[];
  readonly isControl: boolean;
}

const separators = { control: '!', item: ':' } as const;

/**
 * Returns the agents to wake for a row as one value. All rows that wait for the same agents share it, except that a
 * person's stops and resets have a different value. Polls skip through an index of these values, which MongoDB cannot
 * do with arrays.
 */
export function wakeKeyOf({ shard, agentIds, isControl }: WakeKeyParts): string {
  return `${shard}${isControl ? separators.control : separators.item}${agentIds.join(' ')}`;
}

/** `wakeKeyOf` as an update expression, for a row that waits for these agents only. */
export function wakeKeyExpression(agentIds: unknown): Document {
  const separator = { $cond: [{ $eq: ['$control', true] }, separators.control, separators.item] };
  const appended = {
    $concat: ['$$value', { $cond: [{ $eq: ['$$value', ''] }, '', ' '] }, '$$this'],
  };
  const joined = { $reduce: { input: agentIds, initialValue: '', in: appended } };
  return { $concat: [{ $toString: '$shard' }, separator, joined] };
}

/** Returns patterns that match the wake keys of all rows in these shards. */
export function shardPatterns(shards: readonly number[]): RegExp[] {
  return shards.flatMap((shard) =>
    Object.values(separators).map((separator) => new RegExp(`^${shard}${separator}`)),
  );
}

/** Returns the agents in these keys, each once. */
export function parseWakeKeys(wakeKeys: readonly string[]): WaitingAgent[] {
  const agents = new Map<string, WaitingAgent>();
  for (const key of wakeKeys) {
    const [, shard, separator, ids = ''] = /^(\d+)([:!])(.*)$/.exec(key) ?? [];
    for (const id of ids.split(' ')) {
      const hasControl = separator === separators.control || agents.get(id)?.hasControl === true;
      agents.set(id, { id, shard: Number(shard), hasControl });
    }
  }
  return [...agents.values()];
}
