export type { ScopeUsecases } from './build';
