import type { IndexDescription } from 'mongodb';

/** The numeric fields of a call that are added up. */
export const usageSums = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'costMicros',
  'failedCalls',
  'estimatedCalls',
] as const;

export const usageIndexName = 'owner_day_friend_usage';

/** Covers the sums over an owner's usage, so that they read no entries. */
export const usageIndex: IndexDescription = {
  name: usageIndexName,
  key: {
    'call.ownerUserId': 1,
    'call.day': 1,
    userId: 1,
    agentId: 1,
    'call.model': 1,
    'call.trust': 1,
    'call.friend': 1,
    'call.reservation': 1,
    ...Object.fromEntries(usageSums.map((name) => [`call.${name}`, 1])),
  },
  partialFilterExpression: { 'call.ownerUserId': { $exists: true } },
};
