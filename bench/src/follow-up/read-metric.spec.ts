import { describe, expect, it } from '@jest/globals';
import { sumMetric } from './read-metric';

describe('sumMetric', () => {
  it('a metric’s values for all labels are added up, but not the values of other metrics', () => {
    const text = [
      '# HELP messages_total Messages',
      '# TYPE messages_total counter',
      'messages_total{code="A",text="a b"} 3',
      'messages_total{code="B"} 4',
      'messages_total_failed 9',
      'items 2.5',
      '',
    ].join('\n');
    expect(sumMetric(text, 'messages_total')).toBe(7);
    expect(sumMetric(text, 'items')).toBe(2.5);
    expect(sumMetric(text, 'absent')).toBe(0);
  });
});
