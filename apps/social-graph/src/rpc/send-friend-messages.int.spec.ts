import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import {
  SocialGraphServiceService,
  type SendFriendMessagesRequest,
  type SendFriendMessagesResponse,
} from '@daycare/contracts/social-graph';
import {
  createRpcClient,
  fromStatus,
  startRpcServer,
  type RpcClient,
  type RpcServer,
} from '@daycare/rpc';
import type { DirectoryEntry } from '@daycare/service-kit';
import { eventually, uniqueName } from '@daycare/testing';
import { openTestCalls, type TestCalls } from '../test-support/test-calls';
import { socialGraphHandler } from './social-graph-handler';

let calls: TestCalls;
beforeAll(async () => {
  calls = await openTestCalls();
});
afterAll(() => calls.close());

let server: RpcServer;
let client: RpcClient<typeof SocialGraphServiceService>;
let stopping: AbortController;
const revoked = new Set<string>();
let callsLeft = Infinity;
const nothing = async (): Promise<void> => undefined;
const noop = (): void => undefined;

beforeEach(async () => {
  stopping = new AbortController();
  callsLeft = Infinity;
  revoked.clear();
  server = await startRpcServer({
    listen: '127.0.0.1:0',
    services: [
      socialGraphHandler(calls.usecases, {
        stopping: stopping.signal,
        notFoundPerMinute: 60,
        fillers: { nametags: nothing, ids: nothing, reads: nothing },
      }),
    ],
    pipeline: {
      authenticate: ({ metadata }) => {
        const userId = String(metadata.get('user')[0]);
        if (revoked.has(userId)) throw new AppError('UNAUTHENTICATED', 'The token is invalid');
        return { kind: 'user', userId };
      },
      limit: () => {
        if ((callsLeft -= 1) < 0)
          throw new AppError('RATE_LIMITED', 'slow down', { retryAfterMs: 7 });
      },
      observe: noop,
      log: { debug: noop, info: noop, warn: noop, error: noop },
      defaultTimeoutMs: 30_000,
    },
  });
  client = createRpcClient(SocialGraphServiceService, { address: server.address });
});
afterEach(async () => {
  client.close();
  await server.drain(0);
});

const as = ({ userId }: DirectoryEntry) => ({ metadata: { user: userId } });

function requestsTo(nametag: string, messages: readonly string[]): SendFriendMessagesRequest[] {
  return messages.map((message) => ({ requestId: uniqueName('r'), nametag, message }));
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `message ${index}`);

/** A client that sends the given requests until it is ended. */
class Sender {
  readonly answers: SendFriendMessagesResponse[] = [];
  readonly ended: Promise<void>;
  sent = 0;
  readonly #queue: SendFriendMessagesRequest[] = [];
  readonly #disconnecting = new AbortController();
  #isEnding = false;
  #wake = noop;

  constructor(user: DirectoryEntry) {
    this.ended = this.#receive(user);
    this.ended.catch(noop);
  }

  send(requests: readonly SendFriendMessagesRequest[]): void {
    this.#queue.push(...requests);
    this.#wake();
  }

  end(): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    return this.ended;
  }

  disconnect(): void {
    this.#disconnecting.abort();
  }

  async #receive(user: DirectoryEntry): Promise<void> {
    const options = { ...as(user), signal: this.#disconnecting.signal };
    for await (const answer of client.sendFriendMessages(this.#requests(), options))
      this.answers.push(answer);
  }

  async *#requests() {
    for (;;) {
      const next = this.#queue.shift();
      if (next) {
        this.sent += 1;
        yield next;
      } else if (this.#isEnding) return;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}

const textsTo = async (recipient: DirectoryEntry): Promise<string[]> =>
  (await calls.outboxOf(recipient))
    .map(({ text }) => text)
    .filter((text) => text.startsWith('message'));

const codeOf = ({ outcome }: SendFriendMessagesResponse): string =>
  outcome?.$case === 'error' ? fromStatus(outcome.value).code : 'OK';

describe('SendFriendMessages', () => {
  it('accepts the messages of a stream in order and responds to them in that order', async () => {
    const [ada, bob] = await calls.newFriends();
    const requests = requestsTo(bob.nametag, numbered(600));
    const sender = new Sender(ada);
    sender.send(requests);
    await sender.end();
    expect(sender.answers.map(({ requestId }) => requestId)).toEqual(
      requests.map(({ requestId }) => requestId),
    );
    expect(new Set(sender.answers.map(codeOf))).toEqual(new Set(['OK']));
    expect(await textsTo(bob)).toEqual(numbered(600));
  });

  it('reports a refused message as the unary call does, and continues with the next one', async () => {
    const [ada, bob] = await calls.newFriends();
    const stranger = calls.people.add();
    const [first, last] = requestsTo(bob.nametag, ['message a', 'message b']);
    const wrong = [
      ...requestsTo(stranger.nametag, ['no friend']),
      ...requestsTo('nobody1', ['no user']),
      ...requestsTo(bob.nametag, ['']),
      { requestId: '', nametag: bob.nametag, message: 'no request id' },
    ];
    const sender = new Sender(ada);
    sender.send([first!, ...wrong, last!]);
    await sender.end();
    const unary = await Promise.all(
      wrong.map((request) =>
        client.sendFriendMessage(request, as(ada)).catch((error: unknown) => error as AppError),
      ),
    );
    const streamed = sender.answers.map(({ outcome }) =>
      outcome?.$case === 'error' ? fromStatus(outcome.value) : outcome,
    );
    expect(streamed[0]).toMatchObject({ $case: 'sent', value: { nametag: bob.nametag } });
    for (const [index, refusal] of unary.entries()) {
      const { code, message, details } = refusal as AppError;
      expect(streamed[index + 1]).toMatchObject({ code, message, details });
    }
    expect(streamed.at(-1)).toMatchObject({ $case: 'sent' });
    expect(await textsTo(bob)).toEqual(['message a', 'message b']);
  });

  it('stores each message once when the unanswered requests of an interrupted stream are retried', async () => {
    const [ada, bob] = await calls.newFriends();
    const requests = requestsTo(bob.nametag, numbered(400));
    const first = new Sender(ada);
    first.send(requests);
    await eventually(() => first.answers.length >= 50);
    first.disconnect();
    await expect(first.ended).rejects.toMatchObject({ code: 'CANCELLED' });
    const answered = first.answers.length;
    const second = new Sender(ada);
    second.send(requests.slice(answered));
    await second.end();
    expect([...first.answers, ...second.answers].map(codeOf)).toEqual(requests.map(() => 'OK'));
    expect(await textsTo(bob)).toEqual(numbered(400));
  });

  it('responds to every stored message when the service stops, then ends with UNAVAILABLE', async () => {
    const [ada, bob] = await calls.newFriends();
    const requests = requestsTo(bob.nametag, numbered(400));
    const first = new Sender(ada);
    first.send(requests);
    await eventually(() => first.answers.length >= 50);
    stopping.abort();
    await expect(first.ended).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    // Exactly the messages that got a response are stored.
    expect(await textsTo(bob)).toEqual(numbered(first.answers.length));
    stopping = new AbortController();
  });

  it('counts every message against the caller’s rate limit, and reads no faster than the limit allows', async () => {
    const [ada, bob] = await calls.newFriends();
    callsLeft = 4;
    const sender = new Sender(ada);
    sender.send(requestsTo(bob.nametag, numbered(6)));
    const ended = sender.end();
    await eventually(() => callsLeft < -3);
    // Opening the stream counts as a call, too.
    await eventually(() => sender.answers.length === 3);
    expect(await textsTo(bob)).toEqual(numbered(3));
    callsLeft = 3;
    await ended;
    expect(sender.answers.map(codeOf)).toEqual(numbered(6).map(() => 'OK'));
    expect(await textsTo(bob)).toEqual(numbered(6));
  });

  it('accepts no more messages once the token has been revoked', async () => {
    const [ada, bob] = await calls.newFriends();
    const sender = new Sender(ada);
    sender.send(requestsTo(bob.nametag, ['message 0']));
    await eventually(() => sender.answers.length === 1);
    revoked.add(ada.userId);
    sender.send(requestsTo(bob.nametag, ['message 1']));
    await expect(sender.ended).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await textsTo(bob)).toEqual(['message 0']);
  });

  it('stops reading while a client has too many unanswered requests', async () => {
    const [ada, bob] = await calls.newFriends();
    // While the tie cannot be read, every message stays unanswered.
    let release = noop;
    const held = new Promise<void>((resolve) => (release = resolve));
    const find = calls.ties.find.bind(calls.ties);
    let entered = 0;
    calls.ties.find = async (id) => {
      entered += 1;
      await held;
      return find(id);
    };
    try {
      const sender = new Sender(ada);
      sender.send(requestsTo(bob.nametag, numbered(700)));
      await eventually(() => entered === 256);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      expect(entered).toBe(256);
      release();
      await sender.end();
      expect(sender.answers).toHaveLength(700);
    } finally {
      calls.ties.find = find;
    }
  });
});
