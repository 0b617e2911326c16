import type { CronStore } from './store/cron-store';
import type { HeartbeatStore } from './store/heartbeat-store';

export { overlapPolicies, type OverlapPolicy, type RunView } from './domain/run';
export {
  lowestAuthorTrust,
  maxSchedules,
  statusOf,
  type Cron,
  type Heartbeat,
} from './domain/schedule';
export type { CronView, HeartbeatView } from './usecases/describe-runs';
export type { ScopePosition } from './store/owned-rows';
export type { SurveySchedules } from './store/survey-schedules';
export { positionOf, readPosition } from './usecases/schedule-position';
export type { ScheduleUsecases } from './build';

/** Lists many users' crons in one call. */
export type CronReader = Pick<CronStore, 'list'>;

/** Lists many users' heartbeats in one call. */
export type HeartbeatReader = Pick<HeartbeatStore, 'list'>;
