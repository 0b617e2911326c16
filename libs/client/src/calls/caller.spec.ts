import { describe, expect, it } from '@jest/globals';
import { DaycareError, type ErrorReason } from '../transport/daycare-error';
import { services, type Method, type SentOptions, type Transport } from '../transport/transport';
import { Caller } from './caller';
import { isRetryable } from './retryable';
import { inMemoryStore, TokenSource, type Tokens } from './token-source';

const { identity, agentRuntime } = services;
const failure = (code: ErrorReason, message = 'No') =>
  new DaycareError({ code, message, details: {} });
const pair: Tokens = { access: 'fresh', refresh: 'r2' };
const expired = `a.${Buffer.from(JSON.stringify({ exp: 0 })).toString('base64url')}.b`;

/** Creates a client whose transport makes calls with the functions in `answer`; `clock.now` is the client's time. */
function clientOf(
  answer: Partial<Pick<Transport, 'unary' | 'stream'>>,
  refresh: () => Promise<Tokens> = async () => pair,
  access = 'old',
) {
  const clock = { now: 0 };
  const unused = () => {
    throw new Error('not called');
  };
  const transport = { unary: unused, stream: unused, upload: unused, close: unused, ...answer };
  const store = inMemoryStore({ access, refresh: 'r1' });
  const tokens = new TokenSource({ store, renew: refresh });
  const timing = { backoff: { firstMs: 0, maxMs: 0 }, now: () => clock.now };
  return { caller: new Caller(transport, tokens, { isRetryable, timing }), clock };
}

describe('Caller.resume', () => {
  /**
   * Follows a stream that stays open for `openMs` each time and then fails because the token is refused; the
   * last of `streams` ends normally. Returns how many were opened.
   */
  async function watchQuietAgent(streams: number, openMs: number): Promise<number> {
    let opened = 0;
    const { caller, clock } = clientOf({
      async *stream() {
        opened += 1;
        clock.now += openMs;
        if (opened < streams) throw failure('UNAUTHENTICATED');
      },
    });
    for await (const _ of caller.resume(agentRuntime.watchAgent, () => ({})));
    return opened;
  }

  it('reopens an idle stream however often its token expires', async () => {
    expect(await watchQuietAgent(20, 900_000)).toBe(20);
  });

  it('fails when renewed tokens are refused immediately', async () => {
    await expect(watchQuietAgent(20, 10)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
  });
});

describe('Caller.stream', () => {
  /**
   * Opens a stream that fails `unavailable` times before its first item. Then it yields how many times it was opened,
   * and fails again.
   */
  const openFailingStream = (unavailable: number) => {
    let opened = 0;
    const stream = async function* () {
      opened += 1;
      if (opened > unavailable) yield opened;
      throw failure('UNAVAILABLE');
    };
    return clientOf({ stream }).caller.stream(agentRuntime.downloadFile, {});
  };

  it('reopens a stream that fails before its first item, but not one that fails after it', async () => {
    const items = openFailingStream(2);
    expect(await items.next()).toEqual({ value: 3, done: false });
    await expect(items.next()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  it('gives up on a stream that stays unavailable', async () => {
    await expect(openFailingStream(8).next()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});

describe('Caller.unary', () => {
  it('gives up when the total time for all attempts is up', async () => {
    const timeouts: (number | undefined)[] = [];
    const { caller, clock } = clientOf({
      async unary(_method, _request, { timeoutMs }) {
        timeouts.push(timeoutMs);
        clock.now += 400;
        throw failure('UNAVAILABLE');
      },
    });
    const call = caller.unary(agentRuntime.listAgents, {}, { timeoutMs: 1_000 });
    await expect(call).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(timeouts).toEqual([1_000, 600, 200]);
  });

  it.each([
    ['that is safe to retry', agentRuntime.listAgents as Method],
    ['that is not safe to retry but has not been sent yet', identity.createSignInCode as Method],
  ])('while tokens cannot be renewed, retries a call %s', async (_, method) => {
    let renewals = 0;
    const refresh = async () => {
      renewals += 1;
      if (renewals < 3) throw failure('UNAVAILABLE');
      return pair;
    };
    const unary = async (_method: Method, _request: unknown, sent: SentOptions) =>
      sent.authorization;
    const { caller } = clientOf({ unary }, refresh, expired);
    expect(await caller.unary(method, {})).toBe('Bearer fresh');
    expect(renewals).toBe(3);
  });

  it('does not retry a call that may have taken effect and is not safe to retry', async () => {
    let calls = 0;
    const unary = async () => {
      calls += 1;
      throw failure('UNAVAILABLE');
    };
    const { caller } = clientOf({ unary });
    await expect(caller.unary(identity.createSignInCode, {})).rejects.toThrow('No');
    expect(calls).toBe(1);
  });

  it('renews a refused token and retries the call, but only once', async () => {
    const sent: unknown[] = [];
    const unary = async (_method: Method, _request: unknown, { authorization }: SentOptions) => {
      sent.push(authorization);
      throw failure('UNAUTHENTICATED');
    };
    const { caller } = clientOf({ unary });
    await expect(caller.unary(agentRuntime.listAgents, {})).rejects.toThrow('No');
    expect(sent).toEqual(['Bearer old', 'Bearer fresh']);
  });

  it.each([
    ['CompleteSignIn', identity.completeSignIn as Method],
    ['ExchangeAccessToken', identity.exchangeAccessToken as Method],
    ['ExchangeSignInCode', identity.exchangeSignInCode as Method],
    ['RefreshToken', identity.refreshToken as Method],
    ['RevokeToken', identity.revokeToken as Method],
  ])('neither sends nor renews the client’s token for %s', async (_, method) => {
    const sent: unknown[] = [];
    const unary = async (_method: Method, _request: unknown, { authorization }: SentOptions) => {
      sent.push(authorization);
      throw failure('UNAUTHENTICATED', 'The code is not valid');
    };
    const refresh = async () => {
      throw new Error('the pair was renewed');
    };
    const { caller } = clientOf({ unary }, refresh);
    await expect(caller.unary(method, {})).rejects.toThrow('The code is not valid');
    expect(sent).toEqual([undefined]);
  });
});
