import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { profileQueries, queriesSortedInMemory, queriesWithoutIndex } from '@daycare/testing';
import { DeletedUserStore } from '@daycare/service-kit';
import type { Agent } from './agents/domain/agent';
import type { AgentStep } from './agents/domain/agent-state';
import { nextEntry } from './agents/domain/history-entry';
import type { DeadLetter } from './messaging/domain/dead-letter';
import { keyOf } from './agents/domain/descriptor/descriptor-kinds';
import { personMessage, startTestRuntime } from './test-support/test-runtime';
import { EndingStore } from './agents/store/ending-store';
import { ContactStore } from './messaging/store/contact-store';
import type { IncomingMessage } from './messaging/domain/inbox-item';
import { GrantStore } from './permissions/store/grant-store';
import { ToolCallStore } from './tools/store/tool-call-store';
import { SandboxRunStore } from './exec/store/sandbox-run-store';
import { ChoiceStore } from './models/store/choice-store';
import { AccountStore } from './spending/store/account-store';

const runtime = useFixture(startTestRuntime);

const now = new Date();
const note: AgentStep = { events: [{ kind: 'note', text: 'noted' }], current: undefined };

/** Stores enough documents for a missing index to be visible in a query's plan. */
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
      await runtime.say(agent, 'hello');
    }
  }
  return agents;
}

const mail = (userId: string): IncomingMessage => ({
  kind: 'system_message',
  messageId: createId(),
  userId,
  acceptedAt: now,
  text: 'hello',
  origin: 'friend:otter7',
  silent: false,
  hops: 0,
});

const newDeadLetter = (agent: Agent): DeadLetter => ({
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

/** Makes these stores run each of their kinds of queries at least once. */
async function runEveryQuery(agents: readonly Agent[]): Promise<void> {
  const { agents: store, outlines, inbox, mailbox, history, deadLetters, mongo } = runtime;
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
  const survey = { userIds: [userId, 'x'], gatewayUserIds: [userId, 'x'], includeDead: false };
  await outlines.survey(survey, now);
  await outlines.findGateways([userId, 'x']);
  await store.findByKeys([{ userId, key: keyOf(agent.descriptor) }]);
  await store.countAwakeSubagents(userId, now, 'x');
  await store.configure(
    { userId, key: keyOf(agent.descriptor) },
    { systemPrompt: 'Be kind.' },
    { requestId: 'once', now },
  );
  await store.touch(ids, now, true);
  const deletedUsers = new DeletedUserStore(mongo.db);
  await deletedUsers.has(userId);
  await deletedUsers.listSince(now);

  await history.findHead(agent.id);
  await history.findHeads(ids);
  await history.listRecords(agent, { after: 5, limit: 3 });
  await history.readPageBackwards(agent, { after: 2, before: 8, limit: 3 });
  await history.readFrom(agent, 5);

  const [first] = await inbox.next(agent, 10);
  const recipients = [agent, other];
  const shared = personMessage(agent, 'more');
  await inbox.put([{ item: shared, recipients, afterSequence: 3 }]);
  await inbox.findAfterSequence(userId, first!.messageId);
  await inbox.findStored([{ id: first!.messageId, userId }]);
  await inbox.find(agent, [first!.messageId]);
  await inbox.settle(agent, [first!.messageId, shared.messageId], now);
  await inbox.findRecipient(userId, first!.messageId);
  await inbox.waitingAgents([0, 1]);
  await inbox.countByAgent(agents);
  await inbox.backlog();
  await inbox.oldestItems();

  await inbox.put([{ item: mail(userId), recipients: [] }]);
  await mailbox.usersWithUnrouted([userId, 'x']);
  await mailbox.route(userId, recipients, 10);

  const [address, writer] = [agent, other].map(({ id: agentId }) => ({ agentId, userId }));
  await contacts.addAll([{ gateway: address!, writer: writer!, at: now }]);
  await contacts.has(address!, writer!);

  const deadLetter = newDeadLetter(agent);
  await deadLetters.add([deadLetter]);
  await deadLetters.findMany([deadLetter.id]);
  await deadLetters.findReadable({ userId }, deadLetter.id);
  const page = { deadAt: now, id: deadLetter.id };
  await deadLetters.list({ reader: { userId }, agentId: '', after: page, limit: 5 });
  const byOperator = { reader: 'operator', agentId: '', after: page, limit: 5 } as const;
  await deadLetters.list({ ...byOperator, after: undefined });
  await deadLetters.list({ ...byOperator, userId });
  await deadLetters.markRetried(deadLetter.id, 'r', now);
  await deadLetters.delete({ userId }, deadLetter.id, { requestId: 'r', now });

  const sandboxRuns = new SandboxRunStore(mongo.db);
  const run = { requestId: createId(), userId, fingerprint: 'x', startedAt: now };
  await sandboxRuns.claim(run);
  await sandboxRuns.find(userId, run.requestId);
  const report = { summary: '', stdout: '', stderr: '', stdoutCut: false, stderrCut: false };
  await sandboxRuns.finish(run, { report });

  const accounts = new AccountStore(mongo.db);
  await accounts.ensure(userId, now);
  await accounts.hasBudgets(userId);
  await accounts.find(userId);
  await accounts.listChanged(await accounts.newestMark());
  await accounts.change(userId, (account) => ({ account: { ...account }, result: 0 }));

  const choices = new ChoiceStore(mongo.db);
  const choice = { key: `user:${userId}`, models: [{ provider: 'local', id: 'echo' }] };
  await choices.set({ ...choice, requestId: createId() });
  await choices.find([choice.key, 'instance']);
  await choices.listChanged(await choices.newestMark());
  await runtime.usage.addCall(userId, {
    ownerUserId: userId,
    model: 'local/echo',
    trust: 'own',
    day: '2026-11-17',
    reservation: 0,
    inputTokens: 1,
    outputTokens: 1,
    cachedInputTokens: 0,
    costMicros: 0,
    failedCalls: 0,
    estimatedCalls: 0,
    turn: 1,
    latencyMs: 1,
  });
  await choices.deleteByUser(userId);

  const grants = new GrantStore(mongo.db);
  const grant = {
    id: createId(),
    userId,
    ownerUserId: undefined,
    agentId: agent.id,
    agentLabel: 'a',
    subject: { kind: 'permission', permission: 'network' },
    scope: { trust: 'guest', readPrivate: false },
    createdAt: now,
    expiresAt: undefined,
  } as const;
  await grants.add(grant);
  await grants.find(userId, grant.id);
  const pageAfter = { createdAt: now, id: grant.id };
  for (const after of [undefined, pageAfter])
    await grants.list({ reader: userId, agentId: agent.id, after, limit: 5 }, now);
  await grants.listForSubject(agent, grant.subject, now);
  await grants.permissionsOf([agent.id, other.id], now);
  await grants.revoke(grant, now);

  const toolCalls = new ToolCallStore(mongo.db);
  const toolCall = { ...run, beforeJson: 'null' };
  await toolCalls.begin(toolCall);
  await toolCalls.find(userId, run.requestId);
  await toolCalls.finish(toolCall, '{}');

  await inbox.isResetWaiting(agent);
  await inbox.findControls(agent);
  const endings = new EndingStore(mongo.db);
  await endings.listIdleSubagents(now);
  await endings.end(agent, now);
  const due = await endings.listDue(now);
  for (const each of due) await endings.claim(each, now);
  await endings.finish(agent.id);
  await store.killByUser(userId, now);
  const userDataStores = [inbox, history, contacts, deadLetters, sandboxRuns, accounts];
  for (const each of [...userDataStores, grants, toolCalls]) await each.deleteByUser(userId);
}

it('finding the next inbox items from an agent’s own user reads no items from guests', async () => {
  const agent = await runtime.newAgent();
  const sender = { senderUserId: createId() };
  await runtime.putItems(
    Array.from({ length: 300 }, () => ({ agent, item: { ...mail(agent.userId), ...sender } })),
  );
  await runtime.say(agent, 'hello');
  const [query] = await profileQueries(runtime.mongo.db, /\.inbox$/, async () => {
    expect(await runtime.inbox.nextTrusted(agent, 64)).toHaveLength(1);
  });
  expect(query).toMatchObject({ docsExamined: 1 });
  expect(queriesSortedInMemory([query!])).toEqual([]);
});

it('queries for agents, history, inbox items and the data that belongs to them use an index, including for sorting', async () => {
  const { db } = runtime.mongo;
  const agents = await fill(createId());
  const ourCollections = /^[^.]+\.(?!system\.)/;
  const queries = await profileQueries(db, ourCollections, () => runEveryQuery(agents));
  expect(queries.length).toBeGreaterThan(40);
  // Finding heads skips through the index and reads one entry per agent.
  const heads = queries.filter(
    ({ ns, planSummary }) => ns.endsWith('.history') && planSummary.startsWith('DISTINCT_SCAN'),
  );
  expect(heads.map(({ docsExamined }) => docsExamined)).toEqual([1, agents.length]);
  expect(queriesWithoutIndex(queries)).toEqual([]);
  expect(queriesSortedInMemory(queries)).toEqual([]);
});
