export type { MeterCalls, MeteredCall, PlannedCall } from './usecases/meter-calls';
export type { Spending } from './build';
