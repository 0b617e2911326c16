import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import { answerInOrder, type InOrderOptions } from './answer-in-order';

/** A stream for which the test supplies requests one by one and answers them in any order. */
class Exchange {
  readonly started: string[] = [];
  readonly stopping = new AbortController();
  isSourceEnded = false;
  readonly #settle = new Map<string, (answer: string) => void>();
  readonly #given: string[] = [];
  #next: () => void = () => undefined;

  give(...requests: string[]): void {
    this.#given.push(...requests);
    this.#next();
  }

  answer(...requests: string[]): void {
    for (const request of requests) this.#settle.get(request)?.(`to ${request}`);
  }

  async *requests() {
    try {
      for (;;) {
        const request = this.#given.shift();
        if (request === 'end') return;
        if (request === 'fail') throw new AppError('CANCELLED', 'gone');
        if (request !== undefined) yield request;
        else await new Promise<void>((next) => (this.#next = next));
      }
    } finally {
      this.isSourceEnded = true;
    }
  }

  open(options: Partial<InOrderOptions<string>> = {}): AsyncGenerator<string> {
    return answerInOrder(
      this.requests(),
      (request) => {
        this.started.push(request);
        return new Promise((resolve) => this.#settle.set(request, resolve));
      },
      {
        maxUnanswered: 10,
        maxBytes: 1_000,
        sizeOf: ({ length }) => length,
        limit: () => undefined,
        check: async () => undefined,
        checkEveryMs: 60_000,
        stopping: this.stopping.signal,
        ...options,
      },
    );
  }
}

async function all(answers: AsyncIterable<string>, into: string[] = []): Promise<string[]> {
  for await (const answer of answers) into.push(answer);
  return into;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

const tooMany = (retryAfterMs: number): AppError =>
  new AppError('RATE_LIMITED', 'Too many calls', { retryAfterMs });

describe('answerInOrder', () => {
  it('starts handling every request immediately, and answers in the order of the requests', async () => {
    const exchange = new Exchange();
    const answers = all(exchange.open());
    exchange.give('a', 'b', 'c', 'end');
    await eventually(() => exchange.started.length === 3);
    exchange.answer('c', 'b', 'a');
    await expect(answers).resolves.toEqual(['to a', 'to b', 'to c']);
  });

  it('answers a request while the client is still sending', async () => {
    const exchange = new Exchange();
    const received: string[] = [];
    const answers = all(exchange.open(), received);
    exchange.give('a');
    await eventually(() => exchange.started.length === 1);
    exchange.answer('a');
    await eventually(() => received.length === 1);
    exchange.give('end');
    await expect(answers).resolves.toEqual(['to a']);
  });

  it('reads no further request while the maximum number of requests is unanswered', async () => {
    const exchange = new Exchange();
    const answers = all(exchange.open({ maxUnanswered: 3 }));
    exchange.give('a', 'b', 'c', 'd', 'e', 'end');
    await settled();
    expect(exchange.started).toEqual(['a', 'b', 'c']);
    exchange.answer('b');
    await settled();
    expect(exchange.started).toEqual(['a', 'b', 'c']);
    exchange.answer('a');
    await settled();
    expect(exchange.started).toEqual(['a', 'b', 'c', 'd', 'e']);
    exchange.answer('c', 'd', 'e');
    await expect(answers).resolves.toHaveLength(5);
  });

  it('reads no further request while the unanswered ones reach the maximum size, which a single request may exceed', async () => {
    const exchange = new Exchange();
    const answers = all(exchange.open({ maxBytes: 4 }));
    exchange.give('too large', 'aa', 'bb', 'cc', 'end');
    await settled();
    expect(exchange.started).toEqual(['too large']);
    exchange.answer('too large');
    await settled();
    expect(exchange.started).toEqual(['too large', 'aa', 'bb']);
    exchange.answer('aa', 'bb');
    await settled();
    exchange.answer('cc');
    await expect(answers).resolves.toHaveLength(4);
  });

  it('counts a request towards the limits until its answer has been read', async () => {
    const exchange = new Exchange();
    const answers = exchange.open({ maxUnanswered: 1 });
    exchange.give('a', 'b');
    const first = answers.next();
    await settled();
    exchange.answer('a');
    await first;
    await settled();
    expect(exchange.started).toEqual(['a']);
    const second = answers.next();
    await settled();
    expect(exchange.started).toEqual(['a', 'b']);
    exchange.answer('b');
    await second;
    await answers.return(undefined);
  });

  it('answers the requests it is handling when the replica stops, then ends with UNAVAILABLE', async () => {
    const exchange = new Exchange();
    const received: string[] = [];
    const answers = all(exchange.open(), received);
    exchange.give('a', 'b');
    await eventually(() => exchange.started.length === 2);
    exchange.stopping.abort();
    exchange.give('c');
    exchange.answer('b', 'a');
    await expect(answers).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(received).toEqual(['to a', 'to b']);
    expect(exchange.started).toEqual(['a', 'b']);
  });

  it('delays a request above the rate limit, and all requests after it, instead of refusing it', async () => {
    const exchange = new Exchange();
    let [allowed, checks] = [1, 0];
    const limit = (): void => {
      checks += 1;
      if ((allowed -= 1) < 0) throw tooMany(1);
    };
    const answers = all(exchange.open({ limit }));
    exchange.give('a', 'b', 'c', 'end');
    await eventually(() => checks > 3);
    expect(exchange.started).toEqual(['a']);
    allowed = 2;
    await eventually(() => exchange.started.length === 3);
    exchange.answer('a', 'b', 'c');
    await expect(answers).resolves.toEqual(['to a', 'to b', 'to c']);
  });

  it('ends immediately when the replica stops while the rate limit delays a request', async () => {
    const exchange = new Exchange();
    let checks = 0;
    const limit = (): void => {
      checks += 1;
      throw tooMany(3_600_000);
    };
    const answers = all(exchange.open({ limit }));
    exchange.give('a');
    await eventually(() => checks === 1);
    exchange.stopping.abort();
    await expect(answers).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await settled();
    expect([checks, exchange.started, exchange.isSourceEnded]).toEqual([1, [], true]);
  });

  it('handles no request received after the credential was revoked, but answers the earlier ones', async () => {
    const exchange = new Exchange();
    const received: string[] = [];
    let isRevoked = false;
    const revoked = new AppError('UNAUTHENTICATED', 'The token is invalid');
    const check = async (): Promise<void> => {
      if (isRevoked) throw revoked;
    };
    const answers = all(exchange.open({ check }), received);
    exchange.give('a');
    await eventually(() => exchange.started.length === 1);
    isRevoked = true;
    exchange.give('b');
    await settled();
    exchange.answer('a');
    await expect(answers).rejects.toBe(revoked);
    expect([exchange.started, received]).toEqual([['a'], ['to a']]);
  });

  it('ends an idle stream whose credential was revoked', async () => {
    const revoked = new AppError('UNAUTHENTICATED', 'The token is invalid');
    const check = () => Promise.reject(revoked);
    const answers = all(new Exchange().open({ check, checkEveryMs: 1 }));
    await expect(answers).rejects.toBe(revoked);
  });

  it('starts no further request once the reader stops reading answers', async () => {
    const exchange = new Exchange();
    const answers = exchange.open();
    exchange.give('a');
    const first = answers.next();
    await eventually(() => exchange.started.length === 1);
    exchange.answer('a');
    await first;
    await answers.return(undefined);
    exchange.give('b');
    await eventually(() => exchange.isSourceEnded);
    expect(exchange.started).toEqual(['a']);
  });

  it("fails with the request stream's error, after answering the requests read before it", async () => {
    const exchange = new Exchange();
    const received: string[] = [];
    const answers = all(exchange.open(), received);
    exchange.give('a', 'fail');
    await eventually(() => exchange.started.length === 1);
    exchange.answer('a');
    await expect(answers).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(received).toEqual(['to a']);
  });
});
