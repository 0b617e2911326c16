import { describe, expect, it } from '@jest/globals';
import { pick } from './pick';

const kind = { noun: 'cron', listedBy: 'daycare cron list' };
const all = [
  { id: '494633200e91ccf8f5049ca6c13c33787af441a3', names: ['tea'] },
  { id: '4946ffff0e91ccf8f5049ca6c13c33787af441a3', names: ['Report'] },
  { id: 'aaaa33200e91ccf8f5049ca6c13c33787af441a3', names: ['report weekly'] },
  { id: 'bbbb33200e91ccf8f5049ca6c13c33787af441a3', names: ['twice'] },
  { id: 'cccc33200e91ccf8f5049ca6c13c33787af441a3', names: ['twice'] },
];
const idOf = (text: string): string => pick(text, all, kind).id;

describe('pick', () => {
  it.each([
    ['an id', all[0]!.id, 0],
    ['a name', 'tea', 0],
    ['a name in different letter case', 'report', 1],
    ['a unique prefix of an id', '494633', 0],
    ['a unique prefix of a name', 'report w', 2],
  ])('finds an object by %s', (_, text, index) => {
    expect(idOf(text)).toBe(all[index]!.id);
  });

  it('refuses text that matches several objects, and names them', () => {
    expect(() => idOf('twice')).toThrow('"twice" matches 2 crons: bbbb3320 twice, cccc3320 twice.');
    expect(() => idOf('4946')).toThrow('matches 2 crons');
  });

  it('refuses an unknown name, and a prefix too short to be intentional', () => {
    expect(() => idOf('coffee')).toThrow('There is no cron "coffee".');
    expect(() => idOf('494')).toThrow('There is no cron "494".');
  });
});
