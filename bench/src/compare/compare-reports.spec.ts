import { describe, expect, it } from '@jest/globals';
import type { Result } from '../measure/result';
import { makeCell, makeCosts } from '../test-support/make-cell';
import { makeReport } from '../test-support/make-report';
import { compareReports } from './compare-reports';
import { comparisonRows } from './comparison-rows';
import { chooseProbes } from '../choose-probes';

const insert: Result = {
  name: 'mongo-insert',
  baseline: [],
  busyBefore: 0,
  cells: [makeCell({ inFlight: 64, requestsPerSecond: 3_000 })],
};

const send = (perSecond: number, cpuUs: number, commands: number, p50Ms: number): Result => {
  const costs = makeCosts({ cpuUs, mongoCommands: commands });
  const finished = { perSecond, drainMs: 5 };
  const cells = [
    makeCell({ inFlight: 1, p50Ms }),
    makeCell({ inFlight: 64, requestsPerSecond: 9_999, finished, costs }),
  ];
  return { name: 'social-graph SendFriendMessage, delivered', baseline: [], busyBefore: 0, cells };
};

describe('compareReports', () => {
  const before = makeReport([insert, send(195, 7_098, 6.88, 10)], 0.1);
  const after = makeReport([insert, send(2_100, 779, 0.13, 6.2)], 0.025);
  const lines = compareReports(before, after).split('\n');

  it('a comparison shows the finished rate as a share of the same run’s bare limit, with the costs', () => {
    expect(lines[2]).toBe(
      '| SendFriendMessage, delivered | ≥ 0.65 × mongo-insert | 0.07 × | 0.70 × | yes | 7,098 | 779 | 6.88 | 0.13 |',
    );
  });

  it('a comparison shows a latency next to the earlier run’s latency, and whether it is no worse', () => {
    expect(lines).toContainEqual(
      expect.stringMatching(/one in flight: send, p50 \| no worse \| 10\.0 ms \| 6\.2 ms \| yes/),
    );
    const worse = compareReports(after, before);
    expect(worse).toMatch(/one in flight: send, p50 \| no worse \| 6\.2 ms \| 10\.0 ms \| no/);
  });

  it('a comparison shows the commands per message and the CPU use of the stack at rest', () => {
    expect(lines).toContainEqual(expect.stringMatching(/≤ 0\.30 \| 6\.88 \| 0\.13 \| yes/));
    expect(lines).toContainEqual(expect.stringMatching(/at rest.*\| 10\.0 % \| 2\.5 % \| yes/));
  });

  it('a comparison leaves out rows that were measured in neither run', () => {
    expect(lines.join()).not.toContain('GetUser');
  });

  it('a comparison shows how much more CPU time a call takes with more data than with little data in the same run', () => {
    const grown = {
      ...send(2_000, 857, 0.13, 6),
      name: 'growth: SendFriendMessage, 128,000 ties of others',
    };
    const table = compareReports(before, makeReport([...after.results, grown], 0));
    expect(table).toMatch(/ties × 100, send \| < 15 % more CPU \| – \| \+10 % \| yes/);
  });

  it('--reach measures every cell that the comparison needs', () => {
    const cell = makeCell({ costs: makeCosts({}) });
    const results = chooseProbes({ only: '', reach: true }).map(({ name, inFlight = [] }) => ({
      name,
      baseline: [],
      busyBefore: 0,
      cells: inFlight.map((n) => ({ ...cell, inFlight: n })),
    }));
    const report = makeReport(results, 0);
    const missing = comparisonRows.filter(({ valueOf }) => valueOf(report) === undefined);
    expect(missing.map(({ what }) => what)).toEqual([]);
  });
});
