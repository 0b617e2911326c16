export type { RunProgram } from './usecases/run-program';
