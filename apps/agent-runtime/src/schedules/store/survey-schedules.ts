import type { Db } from 'mongodb';
import { digestsOf, type PartDigest } from '@daycare/mongo';
import { cronCollection } from './cron-document';
import { heartbeatCollection } from './heartbeat-store';
import { ownedPart } from './owned-rows';

/** How many schedules there are, and digests that change whenever a schedule does. */
export interface ScheduleSurvey {
  readonly crons: PartDigest;
  readonly heartbeats: PartDigest;
}

/** Surveys the schedules of several users in one query. */
export type SurveySchedules = (userIds: readonly string[]) => Promise<ScheduleSurvey>;

export function makeSurveySchedules(db: Db): SurveySchedules {
  return async (userIds) => {
    const [crons, heartbeats] = await digestsOf(db, [
      ownedPart(cronCollection, userIds),
      ownedPart(heartbeatCollection, userIds),
    ]);
    return { crons, heartbeats };
  };
}
