import type { Costs } from '../counters/costs';
import type { Cell } from '../measure/result';

/** Returns a cell with ordinary figures, apart from `facts`. */
export function makeCell(facts: Partial<Cell>): Cell {
  return {
    inFlight: 1,
    requests: 9,
    allRequests: 9,
    requestsPerSecond: 100,
    p50Ms: 1,
    p99Ms: 1,
    errors: 0,
    isSteady: true,
    ...facts,
  };
}

/** Returns minimal costs, apart from `facts`. */
export function makeCosts(facts: Partial<Costs>): Costs {
  return {
    operations: 9,
    cpuUs: 1,
    cpuUsBy: { bench: 1 },
    mongoCommands: 0,
    mongoCommandsBy: {},
    logSyncs: 0,
    ownShare: 1,
    ...facts,
  };
}
