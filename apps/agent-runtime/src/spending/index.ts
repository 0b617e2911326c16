export type { MeterCalls, MeteredCall, PlannedCall } from './usecases/meter-calls';
export type { Spending } from './build';
export { requesterOf } from './rpc/requester-of';
export { type Requester, findSpender, type FindSpenderDeps } from './usecases/spender';
