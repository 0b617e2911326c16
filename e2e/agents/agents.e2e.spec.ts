import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import {
  AgentLifecycle,
  AgentStrategy,
  DescriptorKind,
  type Agent,
  type HistoryRecord,
  type ListHistoryRequest,
} from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { historyOf, post, summaryOf, whenRecorded } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import { whileFrozen } from '../support/chaos/while-frozen';
import type { Person } from '../support/people/people';

const stack = useSharedStack();
const { people, agents, runtime, otherRuntime } = stack;

const getAgent = async ({ as }: Person, agentId: string, from = runtime): Promise<Agent> => {
  const { agent } = await from.getAgent({ selector: { $case: 'agentId', value: agentId } }, as);
  return agent!;
};

describe('talking to an agent', () => {
  it('the first message in a channel creates an agent, which answers each message in turn', async () => {
    const ada = await people.newPerson();
    const first = await runtime.postMessage({ ...post('hello'), replyTarget: 'm1' }, ada.as);
    expect(first).toMatchObject({ afterSequence: 1 });
    const records = await whenRecorded(runtime, ada, first.agentId, 3);
    expect(records.map(summaryOf)).toEqual(['start', 'person: hello', 'agent: You said: hello']);
    expect(records.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(records[2]!.record).toMatchObject({ value: { replyTarget: 'm1', provider: 'local' } });
    const second = await otherRuntime.postMessage(post('and again'), ada.as);
    expect(second).toMatchObject({ agentId: first.agentId, afterSequence: 3 });
    const more = await whenRecorded(otherRuntime, ada, first.agentId, 5);
    expect(more.map(summaryOf).slice(3)).toEqual([
      'person: and again',
      'agent: You said: and again',
    ]);
  });

  it('retrying a message on any replica returns the first response, and the message is handled once', async () => {
    const ada = await people.newPerson();
    const message = post('only once');
    const first = await runtime.postMessage(message, ada.as);
    const [again, concurrent] = await Promise.all(
      [runtime, otherRuntime].map((replica) => replica.postMessage(message, ada.as)),
    );
    await whenRecorded(runtime, ada, first.agentId, 3);
    const late = await otherRuntime.postMessage(message, ada.as);
    expect([again, concurrent, late]).toEqual([first, first, first]);
    const next = await runtime.postMessage(post('the end'), ada.as);
    const records = await whenRecorded(runtime, ada, next.agentId, 5);
    expect(records.map(summaryOf)).toEqual([
      'start',
      'person: only once',
      'agent: You said: only once',
      'person: the end',
      'agent: You said: the end',
    ]);
  });

  it('first messages that reach both replicas at the same time create only one agent', async () => {
    const ada = await people.newPerson();
    const posted = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        stack.runtimes[index % 2]!.postMessage(post(`number ${index}`), ada.as),
      ),
    );
    expect(new Set(posted.map(({ agentId }) => agentId)).size).toBe(1);
    const agentId = posted[0]!.agentId;
    const handled = await eventually(async () => {
      const ids = (await historyOf(runtime, ada, agentId)).flatMap(messageIdsOf);
      return ids.length >= 10 && ids;
    });
    expect(handled.toSorted()).toEqual(posted.map(({ messageId }) => messageId).toSorted());
  });

  it('consecutive waiting messages become one turn, but a reset between them splits them into two', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('hello'), ada.as);
    await whenRecorded(runtime, ada, agentId, 3);
    const ids = await whileFrozen(stack, agentId, async (other) => {
      const say = async (text: string) =>
        (await other.postMessage({ ...post(text), replyTarget: `to ${text}` }, ada.as)).messageId;
      const before = [await say('one'), await say('two'), await say('three')];
      await other.resetAgent({ requestId: createId(), agentId, message: '' }, ada.as);
      return [before, [await say('four'), await say('five')]];
    });
    const records = await whenRecorded(runtime, ada, agentId, 8);
    expect(records.slice(3).map(summaryOf)).toEqual([
      'person: one\ntwo\nthree',
      'agent: You said: one\ntwo\nthree',
      'reset: ',
      'person: four\nfive',
      'agent: You said: four\nfive',
    ]);
    expect([records[3]!, records[6]!].map(messageIdsOf)).toEqual(ids);
    expect(records[4]!.record).toMatchObject({ value: { replyTarget: 'to three' } });
  });

  it('a reset keeps an agent’s id and history but clears its context', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('word '.repeat(2_000)), ada.as);
    await whenRecorded(runtime, ada, agentId, 3);
    const before = await getAgent(ada, agentId);
    expect(before.contextTokens).toBeGreaterThan(4_000);
    const reset = { requestId: createId(), agentId, message: '  Start over ' };
    for (const replica of [runtime, otherRuntime, runtime]) await replica.resetAgent(reset, ada.as);
    await whenRecorded(runtime, ada, agentId, 4);
    await otherRuntime.postMessage(post('hello'), ada.as);
    const records = await whenRecorded(runtime, ada, agentId, 6);
    expect(records.slice(3).map(summaryOf)).toEqual([
      'reset: Start over',
      'person: hello',
      'agent: You said: hello',
    ]);
    const after = await getAgent(ada, agentId, otherRuntime);
    expect(after).toMatchObject({ id: agentId, lastSequence: 6, createdAt: before.createdAt });
    expect(after.contextTokens).toBeLessThan(100);
    expect(after.usage!.outputTokens).toBeGreaterThan(before.usage!.outputTokens);
  });
});

describe('reading agents', () => {
  it('GetAgent selects the foreground agent that received the latest message, or the heartbeat agent', async () => {
    const ada = await people.newPerson();
    const mostRecent = async () => {
      const strategy = AgentStrategy.MOST_RECENT_FOREGROUND;
      return otherRuntime.getAgent({ selector: { $case: 'strategy', value: strategy } }, ada.as);
    };
    await expect(mostRecent()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const desk = await agents.foreground(ada, 'desk');
    const phone = await agents.foreground(ada, 'phone');
    await agents.permanent(ada);
    await expect(mostRecent()).resolves.toMatchObject({ agent: { id: phone.id } });
    await agents.foreground(ada, 'desk');
    await expect(mostRecent()).resolves.toMatchObject({ agent: { id: desk.id } });
    const heartbeat = { $case: 'strategy', value: AgentStrategy.HEARTBEAT } as const;
    await expect(runtime.getAgent({ selector: heartbeat }, ada.as)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const heartbeatAgent = await agents.ensure(ada.id, {
      $case: 'heartbeat',
      value: { userId: ada.id },
    });
    await expect(runtime.getAgent({ selector: heartbeat }, ada.as)).resolves.toMatchObject({
      agent: { id: heartbeatAgent.id, foreground: false },
    });
  });

  it('GetAgent returns an agent’s descriptor and state', async () => {
    const ada = await people.newPerson();
    const { id } = await agents.foreground(ada);
    await whenRecorded(runtime, ada, id, 3);
    const agent = await eventually(async () => {
      const latest = await getAgent(ada, id);
      return latest.inboxCount === 0 && latest;
    });
    expect(agent).toMatchObject({
      userId: ada.id,
      label: 'cli:me#desk',
      lifecycle: AgentLifecycle.ACTIVE,
      foreground: true,
      provider: 'local',
      lastSequence: 3,
      descriptor: {
        kind: {
          $case: 'user',
          value: { connector: 'cli', connectorUserId: 'me', channelId: 'desk' },
        },
      },
    });
    expect(agent.lastUserActivityAt!.getTime()).toBeGreaterThanOrEqual(agent.createdAt!.getTime());
  });

  it('ListAgents returns pages, newest first, and filters by kind and subuser', async () => {
    const [ada, bob] = await people.newPair();
    await agents.foreground(bob);
    const created: string[] = [];
    for (const channel of ['a', 'b', 'c'])
      created.unshift((await agents.foreground(ada, channel)).id);
    const keeper = await agents.permanent(ada);
    created.unshift(keeper.id);
    const all = { pageSize: 3, pageToken: '', subuserId: '', kinds: [], includeDead: false };
    const first = await runtime.listAgents(all, ada.as);
    const second = await otherRuntime.listAgents(
      { ...all, pageToken: first.nextPageToken },
      ada.as,
    );
    expect([first, second].map((page) => page.agents.map(({ id }) => id))).toEqual([
      created.slice(0, 3),
      created.slice(3),
    ]);
    expect(second.nextPageToken).toBe('');
    const permanentAgents = await runtime.listAgents(
      { ...all, kinds: [DescriptorKind.PERMANENT] },
      ada.as,
    );
    expect(permanentAgents).toMatchObject({ agents: [{ id: keeper.id }], nextPageToken: '' });
    const helper = await people.newSubuser(ada);
    const gateway = await agents.gateway(helper);
    const ofHelper = { ...all, subuserId: helper.id };
    await expect(runtime.listAgents(ofHelper, ada.as)).resolves.toMatchObject({
      agents: [{ id: gateway.id, userId: helper.id }],
    });
    await expect(runtime.listAgents(ofHelper, bob.as)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('reading a history', () => {
  it('ListHistory returns pages in both directions, starting from any record', async () => {
    const ada = await people.newPerson();
    const { id: agentId } = await agents.foreground(ada);
    for (let count = 3; count <= 9; count += 2) {
      await whenRecorded(runtime, ada, agentId, count);
      if (count < 9) await runtime.postMessage(post(`after ${count}`), ada.as);
    }
    const read = async (request: Partial<ListHistoryRequest>) => {
      const pages: number[][] = [];
      let pageToken = '';
      do {
        const base = { agentId, pageSize: 4, pageToken, afterSequence: 0, newestFirst: false };
        const page = await otherRuntime.listHistory({ ...base, ...request }, ada.as);
        pages.push(page.records.map(({ sequence }) => sequence));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      return pages;
    };
    expect(await read({})).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9]]);
    expect(await read({ newestFirst: true })).toEqual([[9, 8, 7, 6], [5, 4, 3, 2], [1]]);
    expect(await read({ afterSequence: 3 })).toEqual([
      [4, 5, 6, 7],
      [8, 9],
    ]);
    expect(await read({ afterSequence: 3, newestFirst: true })).toEqual([
      [9, 8, 7, 6],
      [5, 4],
    ]);
    expect(await read({ pageSize: 9 })).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9]]);
    expect(await read({ pageSize: 0, afterSequence: 9 })).toEqual([[]]);
    expect(await read({ pageSize: 1_000, newestFirst: true })).toEqual([
      [9, 8, 7, 6, 5, 4, 3, 2, 1],
    ]);
  });
});

function messageIdsOf({ record }: HistoryRecord): readonly string[] {
  return record?.$case === 'userMessage' ? record.value.messageIds : [];
}
