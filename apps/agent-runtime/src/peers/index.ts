export type { Peers } from './build';
