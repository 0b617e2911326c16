import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Document } from 'mongodb';
import { GoneUserStore } from '@daycare/service-kit';
import type { Agent } from '../domain/agent';
import { nextEntry, type Step } from '../domain/agent-state';
import type { DeadLetter } from '../domain/dead-letter';
import { keyOf } from '../domain/descriptor-kinds';
import { startTestRuntime, words, type TestRuntime } from '../test-support/test-runtime';
import { ContactStore } from './contact-store';
import type { MailboxMessage } from './mailbox-store';
import { SandboxRunStore } from './sandbox-run-store';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());

const now = new Date();
const note: Step = { events: [{ kind: 'note', text: 'noted' }], current: undefined };

/** So much is stored that a plan without an index would show. */
async function fill(userId: string): Promise<Agent[]> {
  const agents = await Promise.all(
    Array.from({ length: 20 }, () => runtime.newAgent(undefined, userId)),
  );
  for (const agent of agents) {
    let head = (await runtime.history.findHead(agent.id))!;
    for (let round = 0; round < 10; round += 1) {
      const entry = nextEntry(head, note, { holder: 'r', fence: 1 }, now);
      await runtime.history.append(entry);
      head = entry;
      await runtime.putItems([{ agent, item: words(agent, 'hello') }]);
    }
  }
  return agents;
}

const mail = (userId: string): MailboxMessage => ({
  kind: 'system_message',
  messageId: createId(),
  userId,
  acceptedAt: now,
  text: 'hello',
  origin: 'friend:otter7',
  silent: false,
  hops: 0,
});

const letter = (agent: Agent): DeadLetter => ({
  id: createId(),
  userId: agent.userId,
  ownerUserId: undefined,
  agentId: agent.id,
  kind: 'message',
  messageId: createId(),
  origin: '',
  text: 'hello',
  reason: 'broken',
  attempts: 5,
  acceptedAt: now,
  deadAt: now,
  item: undefined,
  payload: undefined,
  retriedBy: undefined,
});

/** Every query of these stores, once. */
async function askEverything(agents: readonly Agent[]): Promise<void> {
  const { agents: store, outlines, inbox, history, mailbox, deadLetters, mongo } = runtime;
  const contacts = new ContactStore(mongo.db);
  const [agent, other] = [agents[0]!, agents[1]!];
  const { userId } = agent;
  const ids = agents.map(({ id }) => id);
  const after = { userId, createdAt: now, id: agent.id };
  await store.findByKey(userId, keyOf(agent.descriptor));
  await store.find(agent.id);
  await store.findMany(ids);
  await store.listForeground(userId);
  await store.listUsersWithNewForeground([0, 1], now);
  await store.list({ userId, kinds: ['user'], includeDead: false, after, limit: 5 });
  await store.list({ userId, kinds: [], includeDead: true, after: undefined, limit: 5 });
  await outlines.list({ userIds: [userId, 'x'], includeDead: false, after, limit: 5 });
  await outlines.survey({ userIds: [userId, 'x'], includeDead: false }, now);
  await outlines.findByKeys([{ userId, key: keyOf(agent.descriptor) }]);
  await store.findByKeys([{ userId, key: keyOf(agent.descriptor) }]);
  await store.countAwakeSubagents(userId, now, 'x');
  await store.setSystemPrompt({ userId, key: keyOf(agent.descriptor) }, 'Be kind.', 'once');
  await store.touch(ids, now, true);
  const goneUsers = new GoneUserStore(mongo.db);
  await goneUsers.has(userId);
  await goneUsers.listSince(now);

  await history.findHead(agent.id);
  await history.findHeads(ids);
  await history.findBusyAt(ids);
  await history.listRecords(agent, { after: 5, limit: 3 });
  await history.listRecordsBackwards(agent, { after: 2, before: 8, limit: 3 });
  for await (const _ of history.readFrom(agent, 5));

  const [first] = await inbox.next(agent, 10);
  await inbox.post({ item: words(agent, 'more'), shard: 0, afterSequence: 3 });
  await inbox.find(agent.id, [first!.messageId]);
  await inbox.settle(agent.id, [first!.messageId], now);
  await inbox.findRecipient(userId, first!.messageId);
  await inbox.waitingAgents([0, 1]);
  await inbox.counts(agents);
  await inbox.backlog();

  const message = mail(userId);
  await mailbox.put(message);
  await mailbox.listOpen(userId, 10);
  await mailbox.decide(message, { leadId: agent.id, silentIds: [] });
  await mailbox.usersWithOpen([userId, 'x']);
  await mailbox.close(message, now);

  const [address, writer] = [agent, other].map(({ id: agentId }) => ({ agentId, userId }));
  await contacts.add(address!, writer!, now);
  await contacts.has(address!, writer!);

  const kept = letter(agent);
  await deadLetters.add([kept]);
  await deadLetters.find(kept.id);
  await deadLetters.findFor({ userId }, kept.id);
  const page = { deadAt: now, id: kept.id };
  await deadLetters.list({ reader: { userId }, agentId: '', after: page, limit: 5 });
  await deadLetters.list({ reader: 'operator', agentId: '', after: undefined, limit: 5 });
  await deadLetters.markRetried(kept.id, 'r', now);

  const sandboxRuns = new SandboxRunStore(mongo.db);
  const run = { requestId: createId(), userId, fingerprint: 'x', startedAt: now };
  await sandboxRuns.claim(run);
  await sandboxRuns.find(userId, run.requestId);
  await sandboxRuns.finish(run, {
    summary: '',
    stdout: '',
    stderr: '',
    stdoutCut: false,
    stderrCut: false,
  });

  await store.grant(agent, 'network');
  await inbox.isResetWaiting(agent);
  await store.killOfUser(userId, now);
  for (const keeper of [inbox, history, mailbox, contacts, deadLetters, sandboxRuns])
    await keeper.deleteOfUser(userId);
}

it('every query of the service is answered from an index, and in the order of one where it sorts', async () => {
  const { db } = runtime.mongo;
  const agents = await fill(createId());
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
  await askEverything(agents);
  await db.command({ profile: 0 });
  const ours =
    /\.(agents|inbox|history|mailboxes|contacts|dead_letters|sandbox_runs|\$cmd\.aggregate)$/;
  const asked: Document[] = await db
    .collection('system.profile')
    .find({
      ns: ours,
      op: { $in: ['query', 'update', 'remove', 'command'] },
      planSummary: { $exists: true },
    })
    .toArray();
  const plans = asked.map(({ ns, op, planSummary, command }) => {
    const what = JSON.stringify(command?.filter ?? command?.pipeline ?? command?.q ?? {});
    return `${ns.split('.').slice(1).join('.')} ${op} ${planSummary} ${what}`;
  });
  expect(asked.length).toBeGreaterThan(40);
  // Heads are found by skipping through the index: one entry is read for each agent.
  const heads = asked.filter(
    ({ ns, planSummary }) => ns.endsWith('.history') && planSummary.startsWith('DISTINCT_SCAN'),
  );
  expect(heads.map(({ docsExamined }) => docsExamined)).toEqual([agents.length, agents.length]);
  expect(
    plans.filter((plan) => !/(IXSCAN|IDHACK|EXPRESS_|DISTINCT_SCAN|COUNT_SCAN|QUEUED)/.test(plan)),
  ).toEqual([]);
  expect(
    asked
      .filter(({ hasSortStage }) => hasSortStage)
      .map(({ command, planSummary }) => [planSummary, JSON.stringify(command)]),
  ).toEqual([]);
});
