import type { Result } from '../measure/result';
import { withRatios, type Report } from '../report/report';

/** Returns a report with these results from some machine. */
export function makeReport(results: readonly Result[], coreShare: number): Report {
  const machine = { cpu: 'x', cores: 2, memoryGiB: 8, os: '', node: '', mongodb: '', nats: '' };
  const perSecond = { commands: 0, logSyncs: 0, natsMessages: 0 };
  return {
    startedAt: '2026-01-01T00:00:00.000Z',
    tookMs: 1,
    quick: false,
    pace: { restMs: 1, maxFirstWarmUpMs: 1, maxWarmUpMs: 1, leadInMs: 1, measureMs: 1 },
    machine: { ...machine, loadAverage: 0 },
    rest: { coreShare, coreShareBy: {}, perSecond },
    results: withRatios(results),
    failures: [],
  };
}
