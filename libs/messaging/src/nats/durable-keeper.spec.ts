import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JetStreamManager, Msg } from 'nats';
import { TestLog, testStream } from '../test-support/fixtures';
import { DurableKeeper } from './durable-keeper';
import type { NatsLink, SubscribeOptions } from './nats-link';

const recreateAfterMs = 1_000;

describe('DurableKeeper', () => {
  let nowMs: number;
  let isAnswering: boolean;
  let deleteStream: jest.Mock<(name: string) => Promise<boolean>>;
  let connect: () => NatsLink;
  let connection: NatsLink;
  const stream = { ...testStream(), recreateAfterMs };
  beforeEach(() => {
    nowMs = 0;
    isAnswering = true;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    deleteStream = jest.fn(async () => true);
    const fail = async () => Promise.reject(new Error('timeout'));
    // A stream that is out of reach.
    const manager = {
      getAccountInfo: async () => (isAnswering ? {} : fail()),
      streams: { add: fail, info: fail, delete: deleteStream },
      consumers: { add: fail, info: fail },
    } as unknown as JetStreamManager;
    const listeners: SubscribeOptions['callback'][] = [];
    connect = () =>
      ({
        jetstreamManager: async () => manager,
        subscribe: (_subject: string, { callback }: SubscribeOptions) => listeners.push(callback),
        publish: (_subject: string, payload: Uint8Array) => {
          const message = { string: () => Buffer.from(payload).toString() } as Msg;
          for (const receive of listeners) receive(null, message);
        },
      }) as unknown as NatsLink;
    connection = connect();
  });
  afterEach(() => void jest.restoreAllMocks());

  const keeperOf = (group: 'agents' | 'inboxes', by = connection) =>
    new DurableKeeper({ connection: by, stream, group, ackWaitMs: 1_000, logger: new TestLog() });
  const failAt = async (keeper: DurableKeeper, atMs: number): Promise<void> => {
    nowMs = atMs;
    await expect(keeper.ensure()).rejects.toThrow('timeout');
  };

  it('deletes a stream that was out of reach for as long as configured while JetStream answered', async () => {
    const keeper = keeperOf('agents');
    await failAt(keeper, 0);
    await failAt(keeper, recreateAfterMs - 1);
    expect(deleteStream).not.toHaveBeenCalled();
    await failAt(keeper, recreateAfterMs);
    expect(deleteStream).toHaveBeenCalledTimes(1);
  });

  it('does not count the time in which JetStream did not answer', async () => {
    const keeper = keeperOf('agents');
    await failAt(keeper, 0);
    isAnswering = false;
    await failAt(keeper, recreateAfterMs);
    isAnswering = true;
    await failAt(keeper, 2 * recreateAfterMs);
    expect(deleteStream).not.toHaveBeenCalled();
  });

  it('does not count the time without a connection', async () => {
    const keeper = keeperOf('agents');
    await failAt(keeper, 0);
    keeper.forgetFailures();
    await failAt(keeper, 2 * recreateAfterMs);
    expect(deleteStream).not.toHaveBeenCalled();
  });

  it('gives a new stream its time, whichever consumer of the process has replaced the old one', async () => {
    const [first, second] = [keeperOf('agents'), keeperOf('inboxes')];
    await failAt(first, 0);
    await failAt(second, 1);
    await failAt(first, recreateAfterMs);
    await failAt(second, recreateAfterMs + 1);
    expect(deleteStream).toHaveBeenCalledTimes(1);
  });

  it('of two replicas that find a stream lost at the same time, one replaces it, and the other waits as long again', async () => {
    const keepers = [keeperOf('agents'), keeperOf('agents', connect())];
    const failBothAt = (atMs: number) => Promise.all(keepers.map((each) => failAt(each, atMs)));
    await failBothAt(0);
    await failBothAt(recreateAfterMs);
    expect(deleteStream).toHaveBeenCalledTimes(1);
    await failBothAt(2 * recreateAfterMs - 1);
    expect(deleteStream).toHaveBeenCalledTimes(1);
  });
});
