export type { MeterCalls, MeteredCall, PlannedCall, RefusedCall } from './usecases/meter-calls';
export type { Spending } from './build';
export { type Requester, findSpender, type FindSpenderDeps } from './usecases/spender';
