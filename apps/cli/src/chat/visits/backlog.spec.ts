import { describe, expect, it } from '@jest/globals';
import { maxBacklog, planBacklog, skippedText } from './backlog';

describe('planBacklog', () => {
  it('shows the records since the last visit, if there are any', () => {
    expect(planBacklog(7, 10)).toEqual({ afterSequence: 7, skipped: 0 });
    expect(planBacklog(10, 10)).toEqual({ afterSequence: 10, skipped: 0 });
  });

  it('shows all earlier records on the first visit', () => {
    expect(planBacklog(undefined, 9)).toEqual({ afterSequence: 0, skipped: 0 });
  });

  it('shows only the newest records of a long backlog and counts the skipped ones', () => {
    expect(planBacklog(10, 300)).toEqual({ afterSequence: 300 - maxBacklog, skipped: 240 });
    expect(planBacklog(undefined, maxBacklog)).toEqual({ afterSequence: 0, skipped: 0 });
  });

  it('continues after the last record when a restored database has lost records that were already shown', () => {
    expect(planBacklog(99, 10)).toEqual({ afterSequence: 10, skipped: 0 });
  });
});

describe('skippedText', () => {
  it('says how many records were left out and how to see them', () => {
    expect(skippedText(planBacklog(10, 300))).toBe(
      '… 240 earlier records; "/history 290" shows them.',
    );
    expect(skippedText(planBacklog(0, maxBacklog + 1))).toContain('1 earlier record;');
    expect(skippedText(planBacklog(0, 1_000_000))).toContain('/history 9999');
    expect(skippedText(planBacklog(7, 10))).toBeUndefined();
  });
});
