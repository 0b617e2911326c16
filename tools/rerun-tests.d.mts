/** The parts of Jest's JSON report that are used. */
export interface SpecResult {
  readonly name: string;
  readonly status: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

export interface Report {
  readonly testResults: readonly SpecResult[];
}

export interface Rerun {
  readonly project: string;
  readonly projectRoot: string;
  readonly files: readonly string[];
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly unstable: readonly { readonly file: string; readonly title: string }[];
  readonly ms: number;
}

export function selectReruns(root: string, reports: ReadonlyMap<string, Report>): Rerun[];
export function totalsOf(first: Report, rerun?: Report): Totals;
