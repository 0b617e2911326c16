export type { MeterCalls, MeteredCall, PlannedCall } from './usecases/meter-calls';
export type { Spending } from './build';
export { askerOf } from './rpc/asker-of';
export { type Asker, findSpender, type FindSpenderDeps } from './usecases/spender';
