import { describe, expect, it } from '@jest/globals';
import { readChatLine } from '../input/chat-line';
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
    expect(skippedText(planBacklog(7, 10))).toBeUndefined();
  });

  it('says how many of the skipped records /history can show when there are too many for it', () => {
    expect(skippedText(planBacklog(0, 9_999))).toBe(
      '… 9949 earlier records; "/history 9999" shows them.',
    );
    expect(skippedText(planBacklog(0, 10_000))).toBe(
      '… 9950 earlier records; "/history 9999" shows the newest 9949 of them.',
    );
    expect(readChatLine('/history 9999')).toEqual({ kind: 'history', count: 9_999 });
    expect(readChatLine('/history 10000')).toMatchObject({ kind: 'message' });
  });
});
