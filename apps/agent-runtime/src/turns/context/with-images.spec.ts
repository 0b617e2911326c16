import { expect, it } from '@jest/globals';
import type { ShownImage } from '../../agents';
import { FairSemaphore } from '../../shared/concurrency/fair-semaphore';
import { gate } from '../../test-support/hanging-provider';
import { StepFailed } from './step-failed';
import { imageSlots, withImages } from './with-images';

const images = (count: number): ShownImage[] =>
  Array.from({ length: count }, (_, at) => ({
    fileId: `f${at}`,
    width: 10,
    height: 10,
    tokens: 100,
  }));
const full = images(16);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const newSlots = (): FairSemaphore => new FairSemaphore(imageSlots.total, imageSlots.perOwner);

/** Model calls that end when the test releases them; reports whose calls are in progress. */
function newCalls(slots = newSlots()) {
  const underWay: string[] = [];
  const ends: (() => void)[] = [];
  const deps = { loadImages: async () => new Map(), imageSlots: slots };
  const begin = (
    userId: string,
    shown = full,
    { ownerUserId = undefined as string | undefined } = {},
  ) =>
    withImages({ userId, ownerUserId }, shown, deps, new AbortController().signal, async () => {
      underWay.push(userId);
      const { opened, open } = gate();
      ends.push(open);
      await opened;
      underWay.splice(underWay.indexOf(userId), 1);
    });
  return { underWay, begin, endOne: () => ends.shift()?.() };
}

it('at most two requests full of images per owner, subusers included, and eight per replica run at the same time', async () => {
  const { underWay, begin, endOne } = newCalls();
  const calls = ['a', 'b', 'c', 'd', 'e'].flatMap((owner) =>
    [1, 2, 3].map((at) => begin(`${owner}${at}`, full, { ownerUserId: owner })),
  );
  await settle();
  expect(underWay).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2']);
  for (const _ of calls) {
    expect(underWay.length).toBeLessThanOrEqual(8);
    endOne();
    await settle();
  }
  await Promise.all(calls);
  expect(underWay).toEqual([]);
});

it('a model call without images never waits for image slots', async () => {
  const { underWay, begin, endOne } = newCalls();
  const calls = [begin('a'), begin('a'), begin('a'), begin('a', [])];
  await settle();
  expect(underWay).toHaveLength(3);
  for (const _ of calls) {
    endOne();
    await settle();
  }
  await Promise.all(calls);
});

it('a call keeps no image slots if it is aborted while waiting for them or if its images cannot be loaded', async () => {
  const slots = newSlots();
  const { begin, endOne } = newCalls(slots);
  const running = [begin('a'), begin('a')];
  const stop = new AbortController();
  const callNever = async (): Promise<never> => {
    throw new Error('the call was made');
  };
  const deps = { loadImages: async () => new Map(), imageSlots: slots };
  const stopped = withImages(
    { userId: 'a', ownerUserId: undefined },
    full,
    deps,
    stop.signal,
    callNever,
  );
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow(StepFailed);
  const loadImages = async (): Promise<never> => {
    throw new Error('no database');
  };
  const failing = { loadImages, imageSlots: slots };
  const { signal } = new AbortController();
  await expect(
    withImages({ userId: 'b', ownerUserId: undefined }, full, failing, signal, callNever),
  ).rejects.toThrow(StepFailed);
  await slots.acquire('b', imageSlots.perOwner);
  endOne();
  endOne();
  await Promise.all(running);
  await slots.acquire('a', imageSlots.perOwner);
});
