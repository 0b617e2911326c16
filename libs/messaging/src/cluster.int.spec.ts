import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, uniqueName } from '@daycare/testing';
import type { StreamInfo } from 'nats';
import { consumeSystemMessages } from './consumer/consume-system-messages';
import { connectNats, type NatsHandle } from './nats/connect-nats';
import { incarnationOf, manageJetStream } from './nats/ensure-stream';
import {
  defineSystemStream,
  durableNameOf,
  streamNameOf,
  type SystemStream,
} from './nats/system-stream';
import { OutboxStore } from './outbox/outbox-store';
import { outboxIndexes } from './outbox/rows/outbox-row';
import { startOutboxRelay } from './outbox/start-outbox-relay';
import { ArrivalLog } from './test-support/arrival-log';
import { draft, TestLog } from './test-support/fixtures';
import { TestInbox } from './test-support/test-inbox';
import { TestNatsCluster } from './test-support/test-nats-cluster';

const lanes = ['a', 'b', 'c', 'd'];
/** Enough senders to write more messages during an election than a consumer may hold. */
const senders = 24;
/** A cluster takes seconds to elect leaders, and longer on a busy machine. */
const longTimeout = { timeoutMs: 100_000 };
/** These tests spend minutes on elections, which is too long for every run; see CONTRIBUTING.md. */
const describeOnCluster = process.env['DAYCARE_TEST_CLUSTER'] === '1' ? describe : describe.skip;

describeOnCluster('a cluster of three NATS servers', () => {
  let cluster: TestNatsCluster;
  let mongo: MongoConnection;
  let inbox: TestInbox;
  let arrivals: ArrivalLog;
  let outbox: OutboxStore;
  let sender: NatsHandle;
  let recipient: NatsHandle;
  let running: { stop(): Promise<void> }[];
  let sent: Map<string, string[]>;
  const log = new TestLog();
  beforeEach(async () => {
    cluster = await TestNatsCluster.start();
    mongo = await testDatabase('cluster');
    await ensureIndexes(mongo.db, outboxIndexes);
    inbox = new TestInbox(mongo.db);
    arrivals = new ArrivalLog(lanes);
    outbox = new OutboxStore(mongo.db, 'social-graph');
    running = [];
    sent = new Map(lanes.map((lane) => [lane, []]));
    const connect = (name: 'social-graph' | 'agent-runtime') =>
      connectNats({ url: cluster.urlOf(name), name, logger: log });
    [sender, recipient] = await Promise.all([connect('social-graph'), connect('agent-runtime')]);
  }, longTimeout.timeoutMs);
  afterEach(async () => {
    for (const part of running) await part.stop();
    for (const handle of [sender, recipient]) await handle.close();
    await mongo.close();
    await cluster.remove();
  }, longTimeout.timeoutMs);

  const start = (stream: SystemStream): void => {
    const common = { stream, logger: log, observer: {} };
    const handling = { handler: arrivals.watch(inbox), deadLetter: inbox.deadLetter };
    running.push(
      startOutboxRelay({ ...common, outbox, connection: sender.connection }),
      consumeSystemMessages({
        ...common,
        ...handling,
        connection: recipient.connection,
        group: 'agents',
        // The value that agent-runtime uses.
        ackWaitMs: 3_000,
      }),
    );
  };
  const infoOf = async (stream: SystemStream): Promise<StreamInfo> => {
    const { streams } = await manageJetStream(recipient.connection);
    return streams.info(streamNameOf(stream, 'agents'));
  };
  const sendRound = async (): Promise<void> => {
    const round = lanes.map((lane) => draft(lane, `${sent.get(lane)?.length}`));
    for (const { lane, text } of round) sent.get(lane)?.push(text);
    await outbox.append(round);
  };
  const countSent = (): number => [...sent.values()].flat().length;
  const countStored = async (): Promise<number> => (await inbox.ids()).length;
  const expectAllInOrder = async (): Promise<void> => {
    await eventually(async () => (await countStored()) >= countSent(), longTimeout);
    expect(await inbox.textsByLane()).toEqual(Object.fromEntries(sent));
    expect(inbox.buried).toEqual([]);
  };
  /** Reports whether a stream and its consumer have leaders other than the lost server. */
  const isLed = async (stream: SystemStream, lost: string): Promise<boolean> => {
    const { config, cluster: group } = await infoOf(stream);
    const { consumers } = await manageJetStream(recipient.connection);
    const durable = durableNameOf('agents', incarnationOf(config));
    const { cluster: consuming } = await consumers.info(config.name, durable);
    const leaders = [group?.leader, consuming?.leader];
    return leaders.every((leader) => leader && leader !== lost);
  };
  /**
   * Measures what losing a server under load costs: the longest pause in a lane, how long NATS took to elect
   * leaders, and how long it took until messages sent after the loss arrived. (Each waits for all messages that were
   * accepted before it in its lane.)
   */
  const measureLoss = async (stream: SystemStream, lost: string): Promise<string> => {
    let isDone = false;
    const send = async (): Promise<void> => {
      while (!isDone) await sendRound();
    };
    const before = countSent();
    const load = Promise.all(Array.from({ length: senders }, send));
    const hasArrived = (number: number): boolean =>
      lanes.every((lane) => arrivals.newestOf(lane) >= number);
    const numberUnderLoad = before / lanes.length + 10;
    await eventually(() => hasArrived(numberUnderLoad), longTimeout);
    await cluster.kill(lost);
    const startedMs = performance.now();
    arrivals.restart();
    const sinceLossMs = (): number => Math.round(performance.now() - startedMs);
    const elected = eventually(() => isLed(stream, lost).catch(() => false), longTimeout).then(
      sinceLossMs,
    );
    const numberAfterLoss = Math.max(...[...sent.values()].map((texts) => texts.length));
    await eventually(() => hasArrived(numberAfterLoss), longTimeout);
    const caughtUpMs = sinceLossMs();
    const pauseMs = Math.round(arrivals.longestPauseMs);
    isDone = true;
    await load;
    await expectAllInOrder();
    const sentCount = countSent() - before;
    return `${pauseMs} ms (leaders after ${await elected} ms, later messages after ${caughtUpMs} ms, all ${sentCount} after ${sinceLossMs()} ms)`;
  };

  it('delivers everything once and in order even if each server is killed in turn, starting with the stream’s leader', async () => {
    const stream = defineSystemStream({ prefix: uniqueName('cluster') });
    start(stream);
    await sendRound();
    await expectAllInOrder();
    const { config, cluster: placed } = await infoOf(stream);
    expect(config.num_replicas).toBe(3);
    const { consumers } = await manageJetStream(recipient.connection);
    const durable = await consumers.info(
      config.name,
      durableNameOf('agents', incarnationOf(config)),
    );
    expect(durable.cluster?.replicas).toHaveLength(2);
    const others = (placed?.replicas ?? []).map(({ name }) => name);
    const figures: string[] = [];
    for (const name of [placed?.leader ?? '', ...others]) {
      figures.push(await measureLoss(stream, name));
      await cluster.restart(name);
      await eventually(async () => {
        const { replicas = [] } = (await infoOf(stream)).cluster ?? {};
        return replicas.length === 2 && replicas.every(({ current }) => current);
      }, longTimeout);
    }
    await expectAllInOrder();
    process.stdout.write(
      `longest pause after the loss of the leader, then of the others: ${figures.join(', ')}\n`,
    );
  }, 400_000);

  it('recreates a stream whose only server is lost, and loses no message when that server returns', async () => {
    const prefix = uniqueName('alone');
    const stream = defineSystemStream({ prefix, replicas: 1, recreateAfterMs: 10_000 });
    start(stream);
    await sendRound();
    await expectAllInOrder();
    const lost = (await infoOf(stream)).cluster?.leader ?? '';
    await cluster.kill(lost);
    await sendRound();
    await expectAllInOrder();
    expect(log.messages()).toContain('stream has lost its servers; recreating it');
    const { config, cluster: placed } = await infoOf(stream);
    expect(placed?.leader).not.toBe(lost);
    await cluster.restart(lost);
    for (let round = 0; round < 5; round++) await sendRound();
    await expectAllInOrder();
    // Until the server that has returned has read the cluster's log, it still serves the lost stream.
    await eventually(
      async () => incarnationOf((await infoOf(stream)).config) === incarnationOf(config),
      longTimeout,
    );
  }, 400_000);
});
