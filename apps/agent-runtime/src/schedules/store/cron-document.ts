import type { Cron } from '../domain/schedule';
import type { FiringRow } from './firing-rows';
import type { OwnedRow } from './owned-rows';

export interface CronDocument
  extends
    Omit<Cron, 'id' | 'nextFireAt' | 'lastFiredAt' | 'overlap' | 'quiet' | 'runs'>,
    Partial<Pick<Cron, 'overlap' | 'quiet' | 'runs'>>,
    OwnedRow,
    FiringRow {
  readonly _id: string;
  readonly userId: string;
  readonly shard: number;
  readonly createdAt: Date;
  /** The most recent requests that have changed the cron. */
  readonly changedBy?: readonly string[];
  /** Counts the changes to its runs, so that a decision based on outdated runs is not stored. */
  readonly revision?: number;
}

/** A cron and its tick in progress, if any. */
export interface FiringCron extends Cron {
  readonly firing: Date | undefined;
}

/** Identifies a request to change a cron; each is applied at most once. */
export interface CronChange {
  readonly userId: string;
  readonly cronId: string;
  readonly requestId: string;
}

export const cronCollection = 'crons';

export function toCron(document: CronDocument): Cron {
  const { _id: id, userId, shard, name, schedule, timeZone, prompt, agentId, once } = document;
  const { nextFireAt, lastFiredAt, createdAt, trust, carriesPrivate } = document;
  const { overlap = 'skip', quiet = false, runs = [] } = document;
  const words = { name, schedule, timeZone, prompt };
  const base = { id, userId, shard, ...words, agentId, once };
  const turn = { ...(trust ? { trust } : {}), ...(carriesPrivate ? { carriesPrivate } : {}) };
  const edited = document.edited ? { edited: true as const } : {};
  return { ...base, ...edited, ...turn, overlap, quiet, runs, nextFireAt, lastFiredAt, createdAt };
}
