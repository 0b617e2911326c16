import { expect, it } from '@jest/globals';
import { groupByKill, killPointsOf } from './kill-points';
import type { WireStep } from './trapped-service';

const mongo = (label: string): WireStep => ({ wire: 'mongo', label });
const nats = (label: string): WireStep => ({ wire: 'nats', label });

function killsOf(run: readonly WireStep[]): string[][] {
  const kills = groupByKill(killPointsOf([run, run]), [run, run]);
  return kills.map((kill) => kill.map(({ when, title }) => `${when} ${title}`));
}

it('kill points share a kill, the deepest first, if none of them holds up the call of another', () => {
  const run = [mongo('insert inbox'), mongo('find inbox'), mongo('insert history')];
  expect(killsOf([...run, mongo('update inbox')])).toEqual([
    ['after update inbox', 'before insert history', 'before insert inbox'],
    ['before update inbox'],
  ]);
});

it('a step that occurs twice is held once per kill', () => {
  const run = [mongo('insert history'), mongo('insert history')];
  expect(killsOf(run)).toEqual([
    ['after insert history (2)'],
    ['before insert history (2)'],
    ['before insert history'],
  ]);
});

it('a step that is part of a delivery holds up every later delivery, but a step after the delivery does not', () => {
  const handled = [nats('delivery'), mongo('insert contacts'), mongo('insert inbox')];
  expect(killsOf([...handled, mongo('update inbox')])).toEqual([
    ['after update inbox'],
    ['before update inbox'],
    ['before insert inbox'],
    ['before insert contacts'],
  ]);
  const [first] = killsOf([...handled, nats('acknowledge'), mongo('insert history')]);
  expect(first).toEqual(['after insert history', 'after acknowledge']);
});

it('a step that cannot be held, because the service continues at once, is the last of its kill', () => {
  const run = [mongo('insert inbox'), nats('send receipt'), mongo('update inbox')];
  expect(killsOf(run)).toEqual([
    ['after update inbox', 'after send receipt'],
    ['before update inbox', 'before send receipt'],
    ['before insert inbox'],
  ]);
});
