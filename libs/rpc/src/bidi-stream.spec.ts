import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { withTimeout } from '@daycare/async';
import { socialGraphRules } from '@daycare/contracts/scopes';
import {
  SocialGraphServiceService,
  type SendFriendMessagesRequest,
  type SendFriendMessagesResponse,
} from '@daycare/contracts/social-graph';
import { eventually } from '@daycare/testing';
import { createRpcClient } from './client/rpc-client';
import { implementService } from './server/implement-service';
import { startRpcServer } from './server/rpc-server';
import type { Handlers } from './shared/service-types';

type Exchange = NonNullable<Handlers<typeof SocialGraphServiceService>['sendFriendMessages']>;

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(sendFriendMessages: Exchange) {
  const log = { debug: noop, info: noop, warn: noop, error: noop };
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    pipeline: {
      authenticate: () => ({ kind: 'user', userId: 'u1' }),
      limit: noop,
      observe: noop,
      log,
      defaultTimeoutMs: 1_000,
    },
    services: [
      implementService(
        'daycare.social_graph.v1.SocialGraphService',
        SocialGraphServiceService,
        socialGraphRules,
        { sendFriendMessages },
      ),
    ],
  });
  const client = createRpcClient(SocialGraphServiceService, { address: server.address });
  cleanups.push(
    () => server.drain(0),
    () => client.close(),
  );
  return client;
}

const noop = (): void => undefined;

function request(requestId: string, message = ''): SendFriendMessagesRequest {
  return { requestId, nametag: '', message };
}

const responseTo = ({ requestId }: SendFriendMessagesRequest): SendFriendMessagesResponse => ({
  requestId,
});

async function* echo(requests: AsyncIterable<SendFriendMessagesRequest>) {
  for await (const received of requests) yield responseTo(received);
}

/** Sends the next request once `proceed` resolves. */
async function* oneByOne(count: number, proceed: () => Promise<unknown>) {
  for (let index = 0; index < count; index += 1) {
    yield request(String(index));
    await proceed();
  }
}

describe('a bidirectional stream', () => {
  it('answers a request before the next one is sent', async () => {
    const client = await serve(echo);
    const received: string[] = [];
    const waitForAnswer = () => {
      const count = received.length + 1;
      return eventually(() => received.length === count);
    };
    for await (const { requestId } of client.sendFriendMessages(oneByOne(3, waitForAnswer)))
      received.push(requestId);
    expect(received).toEqual(['0', '1', '2']);
  });

  it('ends once the handler has answered the last request', async () => {
    const client = await serve(echo);
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index));
    const received: string[] = [];
    for await (const { requestId } of client.sendFriendMessages(source(ids)))
      received.push(requestId);
    expect(received).toEqual(ids);
  });

  it('stops sending requests while the handler does not read any', async () => {
    let sent = 0;
    async function* endless() {
      for (; ; sent += 1) yield request(String(sent), 'x'.repeat(1_000));
    }
    const abandon = new AbortController();
    const client = await serve(async function* () {
      yield { requestId: 'reads nothing' };
      await new Promise(() => undefined);
    });
    const responses = client.sendFriendMessages(endless(), { signal: abandon.signal });
    const iterator = responses[Symbol.asyncIterator]();
    await iterator.next();
    let before = -1;
    await eventually(() => {
      const isSteady = sent > 0 && sent === before;
      before = sent;
      return isSteady;
    });
    expect(sent).toBeLessThan(10_000);
    abandon.abort();
    await expect(iterator.next()).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it("delivers the handler's error after the responses that preceded it", async () => {
    const client = await serve(async function* (requests) {
      for await (const next of requests) {
        if (next.requestId === '1') throw new AppError('NOT_FOUND', 'no such request');
        yield responseTo(next);
      }
    });
    const received: string[] = [];
    const read = async () => {
      for await (const { requestId } of client.sendFriendMessages(source(['0', '1', '2'])))
        received.push(requestId);
    };
    await expect(read()).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'no such request' });
    expect(received).toEqual(['0']);
  });

  it("delivers the handler's error even while requests are being read and responses are being sent", async () => {
    const ids = Array.from({ length: 500 }, (_, index) => String(index));
    const client = await serve(async function* (requests) {
      const readAll = async () => {
        for await (const _ of requests);
      };
      readAll().catch(noop);
      for (const requestId of ids) yield { requestId };
      throw new AppError('UNAVAILABLE', 'stopping');
    });
    async function* unfinished() {
      yield request('0');
      await new Promise(noop);
    }
    const received: string[] = [];
    const read = async () => {
      for await (const { requestId } of client.sendFriendMessages(unfinished()))
        received.push(requestId);
    };
    await expect(withTimeout(read(), 10_000)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(received).toEqual(ids);
  });

  it('fails with the error that its request source throws', async () => {
    const client = await serve(echo);
    async function* failing() {
      yield request('0');
      throw new AppError('FAILED_PRECONDITION', 'no more input');
    }
    const read = async () => {
      for await (const _ of client.sendFriendMessages(failing()));
    };
    await expect(read()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });

  it('ends the handler and the request source when the client stops reading responses', async () => {
    const ended: string[] = [];
    const client = await serve(async function* (requests) {
      try {
        yield* echo(requests);
      } finally {
        ended.push('handler');
      }
    });
    async function* endless() {
      try {
        for (;;) {
          yield request('again');
          await new Promise(setImmediate);
        }
      } finally {
        ended.push('source');
      }
    }
    for await (const _ of client.sendFriendMessages(endless())) break;
    await eventually(() => ended.length === 2);
    expect(ended.sort()).toEqual(['handler', 'source']);
  });
});

async function* source(ids: readonly string[]) {
  for (const id of ids) yield request(id);
}
