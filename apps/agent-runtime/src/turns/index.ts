export type { TurnLimits } from './loop/take-turn';
