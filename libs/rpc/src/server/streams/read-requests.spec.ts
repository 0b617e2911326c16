import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readRequests } from './read-requests';

/** Creates a call whose requests the test adds. */
function openCall(...requests: readonly string[]): Duplex {
  const call = new Duplex({ objectMode: true, read: () => undefined });
  for (const request of requests) call.push(request);
  return call;
}

async function readAll(call: Duplex): Promise<string[]> {
  const requests: string[] = [];
  for await (const request of readRequests(call)) requests.push(String(request));
  return requests;
}

describe('readRequests', () => {
  it('yields all requests, including those that arrive later, and ends after the last one', async () => {
    const call = openCall('first');
    const requests = readAll(call);
    await new Promise(setImmediate);
    call.push('second');
    call.push(null);
    await expect(requests).resolves.toEqual(['first', 'second']);
  });

  it('yields nothing from a call that has already been read to its end', async () => {
    const call = openCall('only');
    call.push(null);
    await readAll(call);
    await expect(readAll(call)).resolves.toEqual([]);
  });

  it('fails for a call that was cancelled before it was read', async () => {
    const call = openCall('unread');
    call.destroy();
    await once(call, 'close');
    await expect(readAll(call)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('yields no request after the call is cancelled, even one that has already arrived', async () => {
    const call = openCall('first', 'second', 'third');
    const requests = readRequests(call);
    await expect(requests.next()).resolves.toMatchObject({ value: 'first' });
    call.destroy();
    await once(call, 'close');
    await expect(requests.next()).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('ends when the server ends the call with an error, and leaves the stream open for its responses', async () => {
    const call = openCall('first', 'second');
    const requests = readRequests(call);
    await requests.next();
    call.emit('error', new Error('refused'));
    await expect(requests.next()).resolves.toMatchObject({ done: true });
    expect(call.destroyed).toBe(false);
  });
});
