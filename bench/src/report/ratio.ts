import { rateOf, type Cell, type Ratio, type Result } from '../measure/result';

/**
 * Compares one cell of a result with each of the given baselines at the same concurrency: with the baseline's rate
 * right before and after the cell or, if that was not measured, with its rate at the start of the run. A baseline that
 * was not measured, or had no successful request, is left out.
 */
export function ratiosOf(cell: Cell, baseline: readonly string[], all: readonly Result[]): Ratio[] {
  return baseline.flatMap((name) => {
    const atStart = findCell(all, name, cell.inFlight)?.requestsPerSecond;
    const limit = cell.limits?.[name] ?? atStart;
    return limit ? [{ baseline: name, ratio: rateOf(cell) / limit }] : [];
  });
}

export function findCell(all: readonly Result[], name: string, inFlight: number): Cell | undefined {
  const result = all.find((candidate) => candidate.name === name);
  return result?.cells.find((cell) => cell.inFlight === inFlight);
}
