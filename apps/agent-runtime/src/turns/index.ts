export type { TurnLimits } from './loop/take-turn';
export type { OperateShards } from './usecases/operate-shards';
