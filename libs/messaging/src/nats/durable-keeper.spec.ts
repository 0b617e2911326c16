import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NatsError, type Consumer, type JetStreamManager, type Msg } from 'nats';
import { TestLog, testStream } from '../test-support/fixtures';
import { DurableKeeper } from './durable-keeper';
import type { NatsLink, SubscribeOptions } from './nats-link';

const recreateAfterMs = 1_000;

describe('DurableKeeper', () => {
  let nowMs: number;
  let isResponding: boolean;
  let hasLeader: boolean;
  let addStream: jest.Mock<() => Promise<unknown>>;
  let getDurable: jest.Mock<() => Promise<Consumer>>;
  let deleteStream: jest.Mock<(name: string) => Promise<boolean>>;
  let connect: () => NatsLink;
  let connection: NatsLink;
  const stream = { ...testStream(), recreateAfterMs };
  beforeEach(() => {
    nowMs = 0;
    isResponding = true;
    hasLeader = false;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    deleteStream = jest.fn(async () => true);
    const fail = async () => Promise.reject(new Error('timeout'));
    addStream = jest.fn(async () => (hasLeader ? { config: {} } : fail()));
    getDurable = jest.fn(async () => ({}) as Consumer);
    // The stream is out of reach unless `hasLeader`.
    const manager = {
      getAccountInfo: async () => (isResponding ? {} : fail()),
      streams: { add: addStream, info: fail, delete: deleteStream },
      consumers: { add: async () => (hasLeader ? {} : fail()), info: fail },
    } as unknown as JetStreamManager;
    const listeners: SubscribeOptions['callback'][] = [];
    connect = () =>
      ({
        jetstreamManager: async () => manager,
        jetstream: () => ({ consumers: { get: getDurable } }),
        subscribe: (_subject: string, { callback }: SubscribeOptions) => listeners.push(callback),
        publish: (_subject: string, payload: Uint8Array) => {
          const message = { string: () => Buffer.from(payload).toString() } as Msg;
          for (const receive of listeners) receive(null, message);
        },
      }) as unknown as NatsLink;
    connection = connect();
  });
  afterEach(() => void jest.restoreAllMocks());

  const keeperOf = (group: 'agents' | 'inboxes', link = connection) =>
    new DurableKeeper({ connection: link, stream, group, ackWaitMs: 1_000, logger: new TestLog() });
  const failAt = async (keeper: DurableKeeper, atMs: number): Promise<void> => {
    nowMs = atMs;
    await expect(keeper.ensure()).rejects.toThrow('timeout');
  };

  it('deletes a stream that has been out of reach for the configured time while JetStream was responding', async () => {
    const keeper = keeperOf('agents');
    await failAt(keeper, 0);
    await failAt(keeper, recreateAfterMs - 1);
    expect(deleteStream).not.toHaveBeenCalled();
    await failAt(keeper, recreateAfterMs);
    expect(deleteStream).toHaveBeenCalledTimes(1);
  });

  it('does not count time in which JetStream was not responding towards the loss of a stream', async () => {
    const keeper = keeperOf('agents');
    await failAt(keeper, 0);
    isResponding = false;
    await failAt(keeper, recreateAfterMs);
    isResponding = true;
    await failAt(keeper, 2 * recreateAfterMs);
    expect(deleteStream).not.toHaveBeenCalled();
  });

  it('does not count time without a connection towards the loss of a stream', async () => {
    const keeper = keeperOf('agents');
    await failAt(keeper, 0);
    keeper.forgetFailures();
    await failAt(keeper, 2 * recreateAfterMs);
    expect(deleteStream).not.toHaveBeenCalled();
  });

  it('gives a recreated stream the full time to become reachable, whichever consumer in the process recreated it', async () => {
    const [first, second] = [keeperOf('agents'), keeperOf('inboxes')];
    await failAt(first, 0);
    await failAt(second, 1);
    await failAt(first, recreateAfterMs);
    await failAt(second, recreateAfterMs + 1);
    expect(deleteStream).toHaveBeenCalledTimes(1);
  });

  it('when two replicas find a stream lost at the same time, one replaces it and the other restarts its wait', async () => {
    const keepers = [keeperOf('agents'), keeperOf('agents', connect())];
    const failBothAt = (atMs: number) => Promise.all(keepers.map((keeper) => failAt(keeper, atMs)));
    await failBothAt(0);
    await failBothAt(recreateAfterMs);
    expect(deleteStream).toHaveBeenCalledTimes(1);
    await failBothAt(2 * recreateAfterMs - 1);
    expect(deleteStream).toHaveBeenCalledTimes(1);
  });

  describe('once it has opened the durable', () => {
    let keeper: DurableKeeper;
    const outOfReach = async () => Promise.reject(new Error('503'));
    beforeEach(async () => {
      keeper = keeperOf('agents');
      hasLeader = true;
      await keeper.open();
      hasLeader = false;
      addStream.mockClear();
    });

    it('opens an existing durable again even while the cluster has no leader', async () => {
      await expect(keeper.open()).resolves.toEqual({});
      expect(addStream).not.toHaveBeenCalled();
    });

    it('recreates a missing durable immediately', async () => {
      const missing = new NatsError('consumer not found', '404');
      missing.api_error = { code: 404, err_code: 10_014, description: 'consumer not found' };
      getDurable.mockRejectedValueOnce(missing);
      hasLeader = true;
      await expect(keeper.open()).resolves.toEqual({});
      expect(addStream).toHaveBeenCalledTimes(1);
    });

    it('while the durable is out of reach, creates nothing during the ten seconds that an election may take, and after that tries to create what is missing', async () => {
      getDurable.mockImplementation(outOfReach);
      await expect(keeper.open()).rejects.toThrow('503');
      expect(keeper.isElecting).toBe(true);
      nowMs = 9_999;
      await expect(keeper.open()).rejects.toThrow('503');
      expect(addStream).not.toHaveBeenCalled();
      nowMs = 10_000;
      await expect(keeper.open()).rejects.toThrow('timeout');
      expect(addStream).toHaveBeenCalledTimes(1);
      expect(keeper.isElecting).toBe(false);
    });

    it('deletes the stream, to recreate it, once look-ups of the durable have failed for long enough', async () => {
      getDurable.mockImplementation(outOfReach);
      while (deleteStream.mock.calls.length === 0 && nowMs < 60_000) {
        await expect(keeper.open()).rejects.toThrow();
        nowMs += 500;
      }
      expect(deleteStream).toHaveBeenCalledTimes(1);
      expect(nowMs).toBeLessThanOrEqual(2 * 10_000 + recreateAfterMs);
    });
  });
});
