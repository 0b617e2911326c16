import type { Trust } from '@daycare/api';
import type { TokenUsage } from './context/history-record';

/** The group of calls that a usage row sums up; a dimension that the rows are not grouped by is empty. */
export interface UsageKey {
  readonly day: string;
  readonly userId: string;
  /** Empty for agents of a deleted subuser, and for calls made outside any agent. */
  readonly agentId: string;
  readonly model: string;
  readonly trust: Trust | '';
  /**
   * The nametag of the friend, or of the friend's subuser, that started the turns; empty if neither did, for deleted
   * subusers and for calls made outside any agent.
   */
  readonly friend: string;
}

/** The usage of any number of model calls. */
export interface UsageRow extends UsageKey, TokenUsage {
  readonly calls: number;
  readonly failedCalls: number;
  readonly estimatedCalls: number;
  readonly costMicros: number;
}

/** Whose usage to sum up, and for which days. */
export interface UsageFilter {
  readonly ownerUserId: string;
  /** The user whose usage to sum up; undefined to sum up the usage of the owner and all of its subusers. */
  readonly userId?: string;
  readonly agentId?: string;
  /** The first and the last day, both included. */
  readonly fromDay: string;
  readonly toDay: string;
}

export const usageDimensions = ['day', 'userId', 'agentId', 'model', 'trust', 'friend'] as const;
export type UsageDimension = (typeof usageDimensions)[number];
