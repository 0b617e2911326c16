import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { groupCalls } from './group-calls';
import { groupReads } from './group-reads';

/** Creates a batch runner that records its batches; each batch ends only when the test calls `endNext`. */
function heldRunner() {
  const batches: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const run = async (items: readonly number[]): Promise<readonly number[]> => {
    batches.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    return items.map((item) => item * 10);
  };
  return { batches, run, endNext: () => ends.shift()?.() };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('groupCalls', () => {
  it('while a batch is running, collects the calls that arrive for the next batch', async () => {
    const { batches, run, endNext } = heldRunner();
    const call = groupCalls(run);
    const first = call(1);
    await nextTurn();
    const others = [call(2), call(3), call(4)];
    await nextTurn();
    expect(batches).toEqual([[1]]);
    endNext();
    expect(await first).toBe(10);
    await nextTurn();
    await nextTurn();
    expect(batches).toEqual([[1], [2, 3, 4]]);
    endNext();
    expect(await Promise.all(others)).toEqual([20, 30, 40]);
  });

  it('puts calls made just as a batch ends into the next batch, together with the calls already waiting', async () => {
    const { batches, run, endNext } = heldRunner();
    const call = groupCalls(run);
    const calls = [call(1)];
    await nextTurn();
    calls.push(call(2));
    // Runs in the turn in which the batch ends.
    void calls[0]!.then(() => calls.push(call(3)));
    endNext();
    await nextTurn();
    await nextTurn();
    expect(batches).toEqual([[1], [2, 3]]);
    endNext();
    expect(await Promise.all(calls)).toEqual([10, 20, 30]);
  });

  it('puts calls made in the same turn of the event loop into one batch', async () => {
    const batches: (readonly number[])[] = [];
    const call = groupCalls((items: readonly number[]) => {
      batches.push(items);
      return Promise.resolve(items);
    });
    await Promise.all([call(1), call(2), call(3)]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it('rejects only the calls whose result is an error', async () => {
    const call = groupCalls((items: readonly number[]) =>
      Promise.resolve(items.map((item) => (item === 2 ? new Error('two') : item))),
    );
    const results = await Promise.allSettled([call(1), call(2), call(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('rejects every call in a failed batch and continues with the next batch', async () => {
    let fails = true;
    const call = groupCalls((items: readonly number[]) =>
      fails ? Promise.reject(new Error('lost')) : Promise.resolve(items),
    );
    const failed = await Promise.allSettled([call(1), call(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await call(3)).toBe(3);
  });

  it('reports a batch’s failed items before the next batch starts', async () => {
    const events: string[] = [];
    const call = groupCalls(
      async (items: readonly number[]) => {
        events.push(`run ${items.join()}`);
        await nextTurn();
        if (items.includes(1)) throw new Error('lost');
        return items.map((item) => (item === 4 ? new Error('four') : item));
      },
      { maxItems: 2, maxWaiting: 6, onFailed: (item) => void events.push(`failed ${item}`) },
    );
    await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map((item) => call(item)));
    expect(events).toEqual([
      'failed 7',
      'run 1,2',
      'failed 1',
      'failed 2',
      'run 3,4',
      'failed 4',
      'run 5,6',
    ]);
  });

  it('rejects every call in a batch when the number of results is wrong', async () => {
    const call = groupCalls((items: readonly number[]) => Promise.resolve(items.slice(1)));
    const results = await Promise.allSettled([call(1), call(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('rejects only the call whose item makes bytesOf throw', async () => {
    const call = groupCalls((items: readonly string[]) => Promise.resolve(items), {
      bytesOf: (item: string) => {
        if (item === 'bad') throw new Error('cannot be measured');
        return item.length;
      },
    });
    const results = await Promise.allSettled([call('a'), call('bad'), call('b')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('refuses a call with UNAVAILABLE when too many calls are waiting', async () => {
    const { run, endNext } = heldRunner();
    const call = groupCalls(run, { maxWaiting: 2 });
    const accepted = [call(1), call(2)];
    await expect(call(3)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await nextTurn();
    endNext();
    expect(await Promise.all(accepted)).toEqual([10, 20]);
  });

  it('refuses calls with UNAVAILABLE while too many bytes are waiting', async () => {
    const call = groupCalls((items: readonly string[]) => Promise.resolve(items), {
      maxWaitingBytes: 10,
      bytesOf: (item: string) => item.length,
    });
    const accepted = [call('12345'), call('67890')];
    await expect(call('x')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await Promise.all(accepted);
    expect(await call('x')).toBe('x');
  });

  it('runs one batch at a time, in the order of the calls and within the limits, whenever the calls arrive', async () => {
    const arrivals = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(arrivals, async (calls) => {
        const seen: { id: number; bytes: number }[] = [];
        let running = 0;
        const call = groupCalls(
          async (items: readonly { id: number; bytes: number }[]) => {
            expect(++running).toBe(1);
            const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
            expect(items.length <= 4 && (bytes <= 12 || items.length === 1)).toBe(true);
            await nextTurn();
            seen.push(...items);
            running -= 1;
            return items.map(({ id }) => id);
          },
          { maxItems: 4, maxBytes: 12, bytesOf: ({ bytes }) => bytes },
        );
        const results: Promise<number>[] = [];
        for (const [id, [bytes, pause]] of calls.entries()) {
          results.push(call({ id, bytes }));
          if (pause) await nextTurn();
        }
        const ids = calls.map((_, id) => id);
        expect(await Promise.all(results)).toEqual(ids);
        expect(seen.map(({ id }) => id)).toEqual(ids);
      }),
    );
  });
});

describe('groupReads', () => {
  it('looks up each key once per batch and resolves every call', async () => {
    const queries: (readonly string[])[] = [];
    const find = groupReads((keys: readonly string[]) => {
      queries.push(keys);
      return Promise.resolve(new Map(keys.filter((key) => key !== 'x').map((key) => [key, key])));
    });
    expect(await Promise.all([find('a'), find('b'), find('a'), find('x')])).toEqual([
      'a',
      'b',
      'a',
      undefined,
    ]);
    expect(queries).toEqual([['a', 'b', 'x']]);
  });
});
