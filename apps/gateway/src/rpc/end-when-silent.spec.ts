import { expect, it } from '@jest/globals';
import { endWhenSilent } from './end-when-silent';

it('a stream of requests fails when the next request does not arrive in time', async () => {
  async function* requests() {
    yield 1;
    yield 2;
    await new Promise(() => undefined);
  }
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of endWhenSilent(requests(), 20)) seen.push(item);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(seen).toEqual([1, 2]);
});

it('a stream of requests ends when its source ends', async () => {
  async function* requests() {
    yield 1;
  }
  const seen: number[] = [];
  for await (const item of endWhenSilent(requests(), 60_000)) seen.push(item);
  expect(seen).toEqual([1]);
});
