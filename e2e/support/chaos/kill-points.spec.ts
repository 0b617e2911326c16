import { describe, expect, it } from '@jest/globals';
import { groupByKill, killPointsOf, surviveAll } from './kill-points';
import { StepNotReached, type KillPoint, type WireStep } from './trapped-service';

const mongo = (label: string): WireStep => ({ wire: 'mongo', label });
const nats = (label: string): WireStep => ({ wire: 'nats', label });

function killsOf(run: readonly WireStep[]): string[][] {
  const kills = groupByKill(killPointsOf([run, run]), [run, run]);
  return kills.map((kill) => kill.map(({ when, title }) => `${when} ${title}`));
}

it('one kill covers several kill points, latest first, unless a call held at one of them would keep the next call from reaching its own', () => {
  const run = [mongo('insert inbox'), mongo('find inbox'), mongo('insert history')];
  expect(killsOf([...run, mongo('update inbox')])).toEqual([
    ['after update inbox', 'before insert history', 'before insert inbox'],
    ['before update inbox'],
  ]);
});

it('two occurrences of the same step never share a kill', () => {
  const run = [mongo('insert history'), mongo('insert history')];
  expect(killsOf(run)).toEqual([
    ['after insert history (2)'],
    ['before insert history (2)'],
    ['before insert history'],
  ]);
});

it('a step held before its delivery is acknowledged blocks every later delivery; a step held after the acknowledgement does not', () => {
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

it('a step that cannot be held, because the service does not wait for it, is the last point in its kill', () => {
  const run = [mongo('insert inbox'), nats('send receipt'), mongo('update inbox')];
  expect(killsOf(run)).toEqual([
    ['after update inbox', 'after send receipt'],
    ['before update inbox', 'before send receipt'],
    ['before insert inbox'],
  ]);
});

it('two points do not share a kill if they occur in a different order in different runs', () => {
  const usual = [mongo('insert history'), mongo('insert inbox'), mongo('update inbox')];
  const unusual = [mongo('update inbox'), mongo('insert history'), mongo('insert inbox')];
  const kills = groupByKill(killPointsOf([usual, unusual]), [usual, unusual]);
  expect(kills.map((kill) => kill.map(({ when, title }) => `${when} ${title}`))).toEqual([
    ['after update inbox'],
    ['before update inbox'],
    ['before insert inbox', 'before insert history'],
  ]);
});

describe('points that are not reached', () => {
  const points: KillPoint[] = ['insert inbox', 'update inbox'].map((label) => ({
    ...mongo(label),
    when: 'before',
  }));

  it('if a kill does not reach one of its points, each of its points gets a kill of its own', async () => {
    const kills: string[][] = [];
    await surviveAll([points], async (together) => {
      kills.push(together.map(({ label }) => label));
      if (together.length > 1) throw new StepNotReached('held up');
    });
    expect(kills).toEqual([['insert inbox', 'update inbox'], ['insert inbox'], ['update inbox']]);
  });

  it('a point that is not reached even on its own is a failure, and so is any other error', async () => {
    const notReached = surviveAll([points], () => Promise.reject(new StepNotReached('lost')));
    await expect(notReached).rejects.toThrow('before update inbox: Error: lost');
    const kills: number[] = [];
    const failing = surviveAll([points], async (together) => {
      kills.push(together.length);
      throw new Error('twice');
    });
    await expect(failing).rejects.toThrow('twice');
    expect(kills).toEqual([2]);
  });
});
