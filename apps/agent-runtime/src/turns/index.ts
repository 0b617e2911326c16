export type { ContextLimits } from './domain/context/room';
export type { TurnLimits } from './loop/take-turn';
