export type { Connectors } from './build';
