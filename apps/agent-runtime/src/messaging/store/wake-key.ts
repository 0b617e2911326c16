import type { Document } from 'mongodb';

/** An agent that has waiting items. */
export interface WaitingAgent {
  readonly id: string;
  readonly shard: number;
  /** Whether a stop or a reset is among its items. */
  readonly hasControl: boolean;
}

interface WakeKeyParts {
  readonly shard: number;
  readonly agentIds: readonly string[];
  readonly isControl: boolean;
}

const marks = { control: '!', item: ':' } as const;

/**
 * Returns the agents to wake for a row as one value, shared by all rows that wait for the same agents (controls have
 * their own). Polls skip through an index of these values, which MongoDB cannot do with arrays.
 */
export function wakeKeyOf({ shard, agentIds, isControl }: WakeKeyParts): string {
  return `${shard}${isControl ? marks.control : marks.item}${agentIds.join(' ')}`;
}

/** `wakeKeyOf` as an update expression, for a row that waits for these agents only. */
export function wakeKeyExpression(agentIds: unknown): Document {
  const mark = { $cond: [{ $eq: ['$control', true] }, marks.control, marks.item] };
  const separated = {
    $concat: ['$$value', { $cond: [{ $eq: ['$$value', ''] }, '', ' '] }, '$$this'],
  };
  const joined = { $reduce: { input: agentIds, initialValue: '', in: separated } };
  return { $concat: [{ $toString: '$shard' }, mark, joined] };
}

/** Returns patterns that match the wake keys of all rows in these shards. */
export function shardPatterns(shards: readonly number[]): RegExp[] {
  return shards.flatMap((shard) =>
    Object.values(marks).map((mark) => new RegExp(`^${shard}${mark}`)),
  );
}

/** Returns the agents in these keys, each once. */
export function parseWakeKeys(wakeKeys: readonly string[]): WaitingAgent[] {
  const agents = new Map<string, WaitingAgent>();
  for (const key of wakeKeys) {
    const [, shard, mark, ids = ''] = /^(\d+)([:!])(.*)$/.exec(key) ?? [];
    for (const id of ids.split(' ')) {
      const hasControl = mark === marks.control || agents.get(id)?.hasControl === true;
      agents.set(id, { id, shard: Number(shard), hasControl });
    }
  }
  return [...agents.values()];
}
