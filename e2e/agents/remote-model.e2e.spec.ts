import { afterAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import {
  conversationOf,
  eventually,
  ModelServer,
  openAiEvents,
  type ModelServerReply,
  type WireAnswer,
} from '@daycare/testing';
import { historyOf, post, summaryOf } from '../support/people/history';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

let server: ModelServer;

const answer = (events: WireAnswer): ModelServerReply => ({ steps: openAiEvents(events) });
const failure = (
  status: number,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): ModelServerReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  steps: [JSON.stringify({ error: { message: 'no', type } })],
});
const friendList = { id: 'call_1', name: 'friend_list', fragments: ['{}'] };

const stack = useStack(async () => {
  server = await ModelServer.start(({ body }) => {
    const last = conversationOf(body).at(-1);
    const words = JSON.stringify(last);
    if (last?.role === 'tool') return answer({ text: ['You have ', 'no friends yet.'] });
    if (words.includes('fail')) return failure(400, 'invalid_request_error');
    if (words.includes('busy'))
      return failure(429, 'rate_limit_exceeded', { 'retry-after': '3600' });
    if (words.includes('friends')) return answer({ calls: [friendList] });
    return answer({ text: ['Hel', 'lo ', 'there.'], usage: { input: 11, output: 7, cached: 0 } });
  });
  const env = { DAYCARE_OPENAI_URL: server.url, DAYCARE_MODEL: 'openai/test' };
  return { services: agentServices, env };
});
const { people, runtime } = stack;
afterAll(() => server.close());

describe('an agent with a remote model', () => {
  it('an agent streams the answer of a remote model and counts the tokens', async () => {
    const ada = await people.newPerson();
    const { agentId, afterSequence } = await runtime.postMessage(post('hello'), ada.as);
    const seen: string[] = [];
    const stop = new AbortController();
    const events = runtime.watchAgent(
      { agentId, afterSequence },
      { ...ada.as, signal: stop.signal },
    );
    for await (const { event } of events) {
      if (event?.$case === 'delta') seen.push(`… ${event.value.text}`);
      if (event?.$case !== 'record') continue;
      seen.push(summaryOf(event.value));
      if (event.value.record?.$case === 'assistantMessage') break;
    }
    stop.abort();
    expect(seen[0]).toBe('person: hello');
    expect(seen.at(-1)).toBe('agent: Hello there.');
    const selector = { $case: 'agentId', value: agentId } as const;
    const { agent } = await runtime.getAgent({ selector }, ada.as);
    expect(agent).toMatchObject({
      provider: 'openai',
      model: 'test',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    const { messages, tools } = server.requests[0]!.body as {
      messages: object[];
      tools: { function: { name: string } }[];
    };
    expect(messages[0]).toMatchObject({ role: 'system' });
    expect(tools.map((tool) => tool.function.name)).toContain('friend_add');
  });

  it('an agent runs the tools a remote model calls and returns their results to it', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('who are my friends?'), ada.as);
    const lines = await eventually(async () => {
      const found = (await historyOf(runtime, ada, agentId)).map(summaryOf);
      return found.at(-1) === 'agent: You have no friends yet.' && found;
    });
    expect(lines).toEqual([
      'start',
      'person: who are my friends?',
      'agent: ',
      'toolResult',
      'agent: You have no friends yet.',
    ]);
  });

  it('an agent reports a model that refuses once and continues with the next message', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('please fail'), ada.as);
    await eventually(async () =>
      (await historyOf(runtime, ada, agentId)).some(({ record }) => record?.$case === 'note'),
    );
    await runtime.postMessage(post('hello again'), ada.as);
    const lines = await eventually(async () => {
      const found = (await historyOf(runtime, ada, agentId)).map(summaryOf);
      return found.at(-1) === 'agent: Hello there.' && found;
    });
    expect(lines.filter((line) => line.startsWith('note'))).toHaveLength(1);
    const request = { pageSize: 0, pageToken: '', agentId };
    const { deadLetters } = await runtime.listDeadLetters(request, ada.as);
    expect(deadLetters).toMatchObject([{ text: 'please fail', attempts: 1 }]);
  });

  it('an agent that waits for its model is shown as waiting, sends one note about it, and can be stopped immediately', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('are you busy?'), ada.as);
    const selector = { $case: 'agentId', value: agentId } as const;
    const waiting = await eventually(
      async () => (await runtime.getAgent({ selector }, ada.as)).agent?.waiting,
    );
    expect(waiting).toMatchObject({ for: 'openai' });
    const listing = { pageSize: 0, pageToken: '', subuserId: '', kinds: [], includeDead: false };
    const { agents } = await runtime.listAgents(listing, ada.as);
    expect(agents).toMatchObject([{ waiting }]);
    await runtime.stopTurn(
      { requestId: createId(), agentId, steeringText: 'hello', replyTarget: '' },
      ada.as,
    );
    const lines = await eventually(async () => {
      const found = (await historyOf(runtime, ada, agentId)).map(summaryOf);
      return found.at(-1) === 'agent: Hello there.' && found;
    });
    expect(lines.filter((line) => line.includes('waiting for openai'))).toHaveLength(1);
    expect((await runtime.getAgent({ selector }, ada.as)).agent?.waiting).toBeUndefined();
  });
});
