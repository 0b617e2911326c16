import { describe, expect, it } from '@jest/globals';
import { formatMoney, readMoney } from './money';

describe('money', () => {
  it('shows small amounts with more digits', () => {
    expect(formatMoney(1_234_567, 'USD')).toBe('$1.23');
    expect(formatMoney(1_234, 'USD')).toBe('$0.0012');
    expect(formatMoney(0, 'USD')).toBe('$0.00');
  });

  it('parses amounts with a point or a comma, and rejects everything else', () => {
    expect(readMoney('1.50')).toBe(1_500_000);
    expect(readMoney('0,5')).toBe(500_000);
    const others = ['', ' ', 'x', '-1', '1e3', '0x10', '1,000.50', '1.0000001', 'Infinity'];
    expect(others.map(readMoney)).toEqual(others.map(() => undefined));
  });
});
