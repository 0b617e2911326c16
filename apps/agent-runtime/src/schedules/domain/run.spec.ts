import { describe, expect, it } from '@jest/globals';
import {
  admitRun,
  isOpen,
  maxQueuedRuns,
  maxRecentRuns,
  wouldSkip,
  type OverlapPolicy,
  type Run,
} from './run';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
const due = (minute: number) => ({
  id: `r${minute}`,
  dueAt: at(minute),
  agentId: 'a1',
  startedAt: at(minute),
});
const openIdsOf = (runs: readonly Run[]): Set<string> =>
  new Set(runs.filter(isOpen).map(({ id }) => id));
/** The runs of a cron if one run is due in each of the first `minutes` minutes and none of them ends. */
const runsOf = (policy: OverlapPolicy, minutes: number): readonly Run[] => {
  let runs: readonly Run[] = [];
  for (let minute = 1; minute <= minutes; minute += 1)
    ({ runs } = admitRun(runs, due(minute), policy, openIdsOf(runs)));
  return runs;
};
const outcomes = (runs: readonly Run[]) => runs.map(({ outcome }) => outcome);
const end = (run: Run): Run => ({ ...run, outcome: 'answered', endedAt: at(9) });

describe('a run that is due', () => {
  it.each(['skip', 'queue', 'replace'] as const)(
    'with the policy "%s", a run starts when no other run is in progress',
    (policy) => {
      const before = runsOf(policy, 1).map(end);
      expect(admitRun(before, due(2), policy, new Set())).toMatchObject({
        run: { id: 'r2', outcome: 'running' },
        replaced: [],
        isChanged: true,
      });
    },
  );

  it('with the policy "skip", a run is skipped while the previous one has not ended', () => {
    const { run, runs } = admitRun(runsOf('skip', 1), due(2), 'skip', new Set(['r1']));
    expect(run).toMatchObject({ outcome: 'skipped', endedAt: at(2) });
    expect(outcomes(runs)).toEqual(['running', 'skipped']);
  });

  it('with the policy "queue", a run waits for the previous one, unless too many are already waiting', () => {
    const runs = runsOf('queue', maxQueuedRuns + 3);
    expect(runs.filter(isOpen)).toHaveLength(maxQueuedRuns + 1);
    expect(outcomes(runs).slice(-2)).toEqual(['skipped', 'skipped']);
  });

  it('with the policy "replace", a run replaces all unfinished runs, and deciding again lists the same replaced runs', () => {
    const queued = runsOf('queue', 3);
    const first = admitRun(queued, due(4), 'replace', openIdsOf(queued));
    expect(outcomes(first.runs)).toEqual(['replaced', 'replaced', 'replaced', 'running']);
    expect(first.replaced.map(({ id }) => id)).toEqual(['r1', 'r2', 'r3']);
    expect(admitRun(first.runs, due(4), 'replace', new Set(['r4']))).toEqual({
      ...first,
      isChanged: false,
    });
  });

  it('a skipped run stays skipped, even if the previous run has ended since', () => {
    const skipped = admitRun(runsOf('skip', 1), due(2), 'skip', new Set(['r1']));
    const ended = skipped.runs.map((run) => (run.id === 'r1' ? end(run) : run));
    const again = admitRun(ended, due(2), 'skip', new Set());
    expect(again).toMatchObject({ run: { outcome: 'skipped' }, isChanged: false });
  });

  it('a run starts when the previous run’s prompt has been dropped from the inbox', () => {
    const { run, runs } = admitRun(runsOf('skip', 1), due(2), 'skip', new Set());
    expect(run.outcome).toBe('running');
    expect(runs[0]).toMatchObject({ outcome: 'failed', endedAt: at(2) });
  });

  it('a new run displaces the oldest of many ended runs, but none that is in progress', () => {
    const runs = runsOf('skip', maxRecentRuns + 6);
    expect(runs).toHaveLength(maxRecentRuns + 1);
    expect(runs[0]).toMatchObject({ id: 'r1', outcome: 'running' });
    expect(runs[1]?.id).toBe('r7');
  });

  it('many skipped runs do not displace the last run that was carried out', () => {
    const failed: Run = { ...due(0), outcome: 'failed', endedAt: at(0) };
    let runs: readonly Run[] = [{ ...failed, id: 'older' }, failed];
    for (let minute = 1; minute <= maxRecentRuns + 3; minute += 1)
      ({ runs } = admitRun(runs, due(minute), 'skip', openIdsOf(runs)));
    expect(runs.slice(0, 2).map(({ id }) => id)).toEqual(['r0', 'r1']);
    expect(runs).toHaveLength(maxRecentRuns + 2);
  });
});

it.each([
  ['skip', 0, false],
  ['skip', 1, true],
  ['queue', 1, false],
  ['queue', maxQueuedRuns + 1, true],
  ['replace', 1, false],
] as const)(
  'with the policy "%s" and %d open runs, wouldSkip returns %s for the next run',
  (policy, openCount, isSkipped) => {
    const runs = runsOf('queue', openCount);
    expect(wouldSkip(runs, policy, openIdsOf(runs))).toBe(isSkipped);
    expect(wouldSkip(runs, policy, new Set())).toBe(false);
  },
);
