import type { OutlineReader } from '../agents';
import type { CronReader, HeartbeatReader, SurveySchedules } from '../schedules';
import { makeListScope } from './usecases/list-scope';

export interface ScopeDeps {
  readonly outlines: OutlineReader;
  readonly crons: CronReader;
  readonly heartbeats: HeartbeatReader;
  readonly surveySchedules: SurveySchedules;
  readonly sleepAfterMs: number;
  readonly now: () => Date;
}

export type ScopeUsecases = ReturnType<typeof buildScope>;

/** The agents and schedules of many users in one call, for the topology service. */
export function buildScope(deps: ScopeDeps) {
  const { outlines, crons, heartbeats, surveySchedules, sleepAfterMs, now } = deps;
  return {
    listScope: makeListScope({ outlines, crons, heartbeats, surveySchedules, sleepAfterMs, now }),
  };
}
