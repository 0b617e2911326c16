import { describe, expect, it } from '@jest/globals';
import type { SendFriendMessagesRequest } from '@daycare/contracts/social-graph';
import { fromStatus, type CallContext } from '@daycare/rpc';
import { AppError } from '@daycare/api';
import { noLookups } from '../usecases/lookups';
import type { GuardLookups } from '../guards/nametag-guard';
import { sendFriendMessagesHandler } from './send-friend-messages';

const noop = (): void => undefined;
const context: CallContext = {
  method: '/daycare.social_graph.v1.SocialGraphService/SendFriendMessages',
  caller: { kind: 'user', userId: 'ada' },
  deadline: Infinity,
  signal: new AbortController().signal,
  log: { debug: noop, info: noop, warn: noop, error: noop },
  traceparent: '',
  address: '192.0.2.1',
  recheck: async () => undefined,
  limit: noop,
  flushed: async () => undefined,
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

/** A stream whose messages are refused once `release` is called. */
function openStream(requests: readonly SendFriendMessagesRequest[]) {
  let release = noop;
  const held = new Promise<void>((resolve) => (release = resolve));
  const read: string[] = [];
  async function* source() {
    for (const request of requests) {
      read.push(request.requestId);
      yield request;
    }
  }
  const send = () => async (): Promise<never> => {
    await held;
    throw new AppError('INVALID_ARGUMENT', 'refused');
  };
  const { signal: stopping } = new AbortController();
  const guard: GuardLookups = (_, work) => work(noLookups());
  const handle = sendFriendMessagesHandler({ sendFriendMessages: send }, { stopping, guard });
  return { answers: handle(source(), context), read, release };
}

const MiB = 1 << 20;

describe('the SendFriendMessages handler', () => {
  it.each(['requestId', 'nametag', 'message'] as const)(
    'stops reading once 4 MiB of requests are unanswered, here because of their long %s',
    async (field) => {
      const short = { requestId: 'r', nametag: 'bob1', message: 'hi' };
      const long = { ...short, [field]: 'x'.repeat(MiB) };
      const { answers, read, release } = openStream(Array.from({ length: 20 }, () => long));
      const first = answers.next();
      await settled();
      expect(read).toHaveLength(4);
      release();
      await first;
      await answers.return(undefined);
    },
  );

  it('does not echo a request id that is too long', async () => {
    const requests = ['x'.repeat(128), 'x'.repeat(129)].map((requestId) => ({
      requestId,
      nametag: 'bob1',
      message: 'hi',
    }));
    const { answers, release } = openStream(requests);
    release();
    const received = [];
    for await (const { requestId, outcome } of answers)
      received.push([
        requestId.length,
        outcome?.$case === 'error' && fromStatus(outcome.value).code,
      ]);
    expect(received).toEqual([
      [128, 'INVALID_ARGUMENT'],
      [0, 'INVALID_ARGUMENT'],
    ]);
  });
});
