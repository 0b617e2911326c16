import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import type { Bundle } from './bundles';
import { GroupQueue } from './group-queue';
import type { OutgoingMessage } from '../rows/message-source';

const message = (id: string, bytes = 10): OutgoingMessage => ({
  id,
  recipientUserId: 'bob',
  payload: new Uint8Array(bytes),
  predecessors: [],
  publications: 1,
});
const idsOf = ({ messages }: Bundle): string[] => messages.map(({ id }) => id);

/** A queue whose attempts to publish end as the test decides. */
function newQueue({
  retryDelayMs = 1,
  maxBytes = 1_000_000,
  findOpen = (open: ReadonlySet<string>) => Promise.resolve(open),
} = {}) {
  const settled = new Set<string>();
  const lookUps: (readonly string[])[] = [];
  const attempts: { readonly bundle: Bundle; answer: (isPublished: boolean) => void }[] = [];
  const published: string[] = [];
  const queue = new GroupQueue({
    group: 'agents',
    publish: (bundle) =>
      new Promise<boolean>((resolve) => attempts.push({ bundle, answer: resolve })),
    findOpen: async (ids) => {
      lookUps.push(ids);
      return findOpen(new Set(ids.filter((id) => !settled.has(id))));
    },
    lookUpTimeoutMs: 20,
    retryDelayMs: () => retryDelayMs,
    onPublished: (messages) => published.push(...messages.map(({ id }) => id)),
    maxBytes,
  });
  const attempt = (number: number) => eventually(() => attempts[number]);
  return { queue, attempts, published, attempt, settled, lookUps };
}

describe('GroupQueue', () => {
  it('publishes each message immediately, but combines those that arrive while four bundles are in flight', async () => {
    const { queue, attempts, attempt } = newQueue();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) queue.add([message(id)]);
    expect(attempts.map(({ bundle }) => idsOf(bundle))).toEqual([['a'], ['b'], ['c'], ['d']]);
    attempts[0]!.answer(true);
    expect(idsOf((await attempt(4)).bundle)).toEqual(['e', 'f']);
  });

  it('while NATS accepts nothing, tries one bundle at a time, and afterwards publishes all messages in order', async () => {
    const { queue, attempts, published, attempt } = newQueue();
    for (const id of ['a', 'b', 'c', 'd']) queue.add([message(id)]);
    for (const { answer } of attempts.slice(0, 4)) answer(false);
    const probe = await attempt(4);
    queue.add([message('e'), message('f')]);
    expect(attempts).toHaveLength(5);
    expect(probe.bundle).toBe(attempts[0]!.bundle);
    probe.answer(true);
    await attempt(8);
    for (const { answer } of attempts.slice(5)) answer(true);
    await eventually(() => !queue.has('f'));
    expect(published).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('publishes nothing while the connection is lost, and tries again once it is restored', async () => {
    const { queue, attempts, attempt } = newQueue();
    queue.add([message('a')]);
    queue.pause();
    attempts[0]!.answer(false);
    queue.add([message('b')]);
    await Promise.resolve();
    expect(attempts).toHaveLength(1);
    queue.resume();
    expect((await attempt(1)).bundle).toBe(attempts[0]!.bundle);
    expect(queue.has('b')).toBe(true);
  });

  it('drops messages beyond maxBytes, and a bundle that NATS has refused forty times', async () => {
    const { queue, attempts, attempt } = newQueue({ maxBytes: 600, retryDelayMs: 0 });
    queue.add([message('large', 600)]);
    expect(attempts).toHaveLength(0);
    queue.add([message('refused')]);
    for (let tried = 0; tried < 40; tried += 1) (await attempt(tried)).answer(false);
    await eventually(() => !queue.has('refused'));
    queue.add([message('next')]);
    expect(idsOf((await attempt(40)).bundle)).toEqual(['next']);
  });

  it('does not retry once it is stopped', async () => {
    const { queue, attempts } = newQueue();
    queue.add([message('a')]);
    queue.stop();
    attempts[0]!.answer(false);
    await eventually(() => !queue.has('a'));
    queue.add([message('b')]);
    expect(attempts).toHaveLength(2);
  });

  it('retries the same bundle first even if it fails again', async () => {
    const { queue, attempts, attempt } = newQueue();
    for (const id of ['a', 'b', 'c', 'd']) queue.add([message(id)]);
    for (const { answer } of attempts.slice(0, 4)) answer(false);
    for (const probe of [4, 5, 6]) (await attempt(probe)).answer(false);
    expect(attempts.slice(4, 7).map(({ bundle }) => idsOf(bundle))).toEqual([['a'], ['a'], ['a']]);
  });

  it('when stopped between two attempts, publishes the messages that are still waiting', async () => {
    const { queue, attempts, attempt } = newQueue({ retryDelayMs: 60_000 });
    queue.add([message('a')]);
    attempts[0]!.answer(false);
    // The failure is noted in a microtask.
    await new Promise(setImmediate);
    queue.add([message('b')]);
    expect(attempts).toHaveLength(1);
    queue.stop();
    expect(idsOf((await attempt(1)).bundle)).toEqual(['b']);
  });

  it('after an outage, publishes only messages that are still open, whether or not they had been tried before', async () => {
    const { queue, attempts, attempt, settled } = newQueue();
    for (const id of ['a', 'b', 'c', 'd']) queue.add([message(id)]);
    queue.add([message('e'), message('f')]);
    queue.pause();
    for (const { answer } of attempts.slice(0, 4)) answer(false);
    for (const id of ['a', 'c', 'e']) settled.add(id);
    await new Promise(setImmediate);
    queue.resume();
    (await attempt(4)).answer(true);
    await attempt(6);
    for (const { answer } of attempts.slice(5)) answer(true);
    await eventually(() => !queue.has('f'));
    expect(attempts.slice(4).map(({ bundle }) => idsOf(bundle))).toEqual([['b'], ['d'], ['f']]);
    expect(['a', 'c', 'e'].some((id) => queue.has(id))).toBe(false);
  });

  it('looks up messages only after an outage, and only until everything that waited has been published', async () => {
    const { queue, attempts, attempt, lookUps } = newQueue();
    queue.add([message('a')]);
    expect(lookUps).toEqual([]);
    attempts[0]!.answer(false);
    (await attempt(1)).answer(true);
    await eventually(() => !queue.has('a'));
    expect(lookUps).toEqual([['a']]);
    queue.add([message('b')]);
    expect(attempts).toHaveLength(3);
    expect(lookUps).toHaveLength(1);
  });

  it('looks up messages that waited during an outage, but not those added while it is catching up', async () => {
    const { queue, attempts, attempt, lookUps } = newQueue();
    queue.pause();
    for (const id of ['a', 'b']) queue.add([message(id)]);
    queue.resume();
    await attempt(0);
    for (const id of ['c', 'd', 'e', 'f']) queue.add([message(id)]);
    for (let next = 0; attempts.flatMap(({ bundle }) => idsOf(bundle)).length < 6; next += 1)
      (await attempt(next)).answer(true);
    expect(attempts.flatMap(({ bundle }) => idsOf(bundle))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(lookUps.flat()).toEqual(['a', 'b']);
  });

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('MongoDB is down'))],
    ['never ends', () => new Promise(() => undefined)],
  ])(
    'publishes all messages in order when the look-up %s, and does not repeat the look-up',
    async (_, findOpen) => {
      const { queue, attempts, attempt, lookUps } = newQueue({ findOpen });
      for (const id of ['a', 'b']) queue.add([message(id)]);
      queue.pause();
      for (const { answer } of attempts) answer(false);
      await new Promise(setImmediate);
      queue.resume();
      (await attempt(2)).answer(true);
      queue.add([message('c')]);
      await attempt(4);
      const tried = attempts.slice(2).map(({ bundle }) => idsOf(bundle));
      expect(tried).toEqual([['a'], ['b'], ['c']]);
      expect(lookUps).toEqual([['a']]);
    },
  );

  it('a failed look-up after one outage does not prevent look-ups after the next, even if the connection is never lost', async () => {
    const { queue, attempt, lookUps } = newQueue({ findOpen: () => Promise.reject(new Error()) });
    queue.add([message('a')]);
    (await attempt(0)).answer(false);
    (await attempt(1)).answer(true);
    await eventually(() => !queue.has('a'));
    queue.add([message('b')]);
    (await attempt(2)).answer(false);
    (await attempt(3)).answer(true);
    await eventually(() => !queue.has('b'));
    expect(lookUps).toEqual([['a'], ['b']]);
  });
});
