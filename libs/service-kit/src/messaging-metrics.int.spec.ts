import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { Notice, NoticeKind } from '@daycare/contracts/common';
import { OutboxStore, outboxIndexes, type MessageDraft } from '@daycare/messaging';
import { ensureIndexes, type MongoConnection } from '@daycare/mongo';
import { eventually, testDatabase, testNatsUrl, uniqueName } from '@daycare/testing';
import type { ServiceKit } from './process/run-service';
import { StatusReport } from './process/service-status';
import { StopSequence } from './process/stop-sequence';
import { Conditions } from './process/conditions';
import { Readiness } from './process/readiness';
import { openNats } from './connections/open-nats';
import { startOutbox, systemStreamOf } from './connections/start-outbox';
import { consumeUserNotices } from './users/consume-user-notices';
import { createLogger } from './observability/create-logger';
import { createMetrics } from './observability/metrics';

const service = 'social-graph';

let mongo: MongoConnection;
let kit: ServiceKit;
beforeEach(async () => {
  mongo = await testDatabase('metrics');
  await ensureIndexes(mongo.db, outboxIndexes);
  const log = createLogger(service, 'silent');
  const tracing = { startClientSpan: () => undefined };
  const [stop, conditions] = [new StopSequence(), new Conditions()];
  const status = new StatusReport(service, conditions);
  const readiness = new Readiness();
  kit = { log, metrics: createMetrics(service), stop, tracing, conditions, readiness, status };
});
afterEach(async () => {
  await kit.stop.run(kit.log, 5_000);
  await mongo.close();
});

/** Starts a service that is notified of deleted users; returns a function that sends these notices. */
async function startService(forgetUser: (userId: string) => Promise<void>) {
  const config = {
    natsUrl: testNatsUrl(),
    natsPrefix: uniqueName('metrics'),
    natsRecreateAfterMs: 60_000,
    republishAfterMs: 15_000,
  };
  const { connection } = await openNats(config, service, kit);
  const outbox = new OutboxStore(mongo.db, 'identity');
  startOutbox(config, { connection, outbox }, kit);
  const storeDeadLetter = async (): Promise<void> => undefined;
  const stream = systemStreamOf(config);
  consumeUserNotices({ service, connection, stream, forgetUser, storeDeadLetter, kit });
  return (...userIds: string[]) => outbox.append(userIds.map(deletionOf));
}

function deletionOf(userId: string): MessageDraft {
  return {
    id: uniqueName('m'),
    lane: userId,
    origin: 'identity',
    text: '',
    recipient: { userId, target: { $case: 'service', value: service } },
    notice: Notice.create({ kind: NoticeKind.USER_DELETED }),
  };
}

describe('notices about users', () => {
  it('a user who cannot be deleted does not hold up the deletion of other users', async () => {
    const forgotten: string[] = [];
    const send = await startService(async (userId) => {
      if (userId === 'stuck') throw new AppError('UNAVAILABLE', 'the file cannot be removed');
      forgotten.push(userId);
    });
    const others = Array.from({ length: 20 }, (_, index) => `user${index}`);
    await send('stuck', ...others);
    await eventually(async () => forgotten.length >= others.length);
    expect(new Set(forgotten)).toEqual(new Set(others));
  });
});

describe('messaging metrics', () => {
  it('counts messages that are published, handled, retried and buried', async () => {
    const failures = [new AppError('UNAVAILABLE', 'no primary')];
    const send = await startService(async (userId) => {
      if (userId === 'unknown') throw new AppError('NOT_FOUND', 'User not found');
      const failure = failures.pop();
      if (failure) throw failure;
    });
    await send('ada', 'unknown');
    await eventually(async () => {
      const text = await kit.metrics.registry.metrics();
      for (const line of [
        'daycare_messages_published_total{attempt="first",app="social-graph"} 2',
        'daycare_messages_handled_total{app="social-graph"} 1',
        'daycare_messages_retried_total{code="UNAVAILABLE",app="social-graph"} 1',
        'daycare_messages_buried_total{code="NOT_FOUND",app="social-graph"} 1',
        'daycare_messages_delivery_seconds_count{app="social-graph",outcome="delivered"} 1',
        'daycare_messages_delivery_seconds_count{app="social-graph",outcome="dead"} 1',
      ])
        expect(text).toContain(line);
      return true;
    });
  });
});
