import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import {
  historyOf,
  post,
  startAgentStack,
  summaryOf,
  type AgentStack,
} from './support/agent-stack';
import { startModelServer, type ModelQuestion, type ModelServer } from './support/model-server';

let server: ModelServer;
let agents: AgentStack;

const lastWords = ({ messages }: ModelQuestion): string => JSON.stringify(messages.at(-1));

beforeAll(async () => {
  server = await startModelServer((question) => {
    const last = lastWords(question);
    if (question.messages.at(-1)?.role === 'tool')
      return { kind: 'text', pieces: ['You have ', 'no friends yet.'] };
    if (last.includes('fail')) return { kind: 'status', status: 500 };
    if (last.includes('friends')) return { kind: 'tool', name: 'friend_list', args: {} };
    return { kind: 'text', pieces: ['Hel', 'lo ', 'there.'] };
  });
  agents = await startAgentStack({
    env: { DAYCARE_OPENAI_URL: server.url, DAYCARE_MODEL: 'openai/test' },
  });
}, 60_000);
afterAll(async () => {
  await agents.stop();
  await server.close();
});

describe('an agent that thinks with a model elsewhere', () => {
  it('says what the model says, piece by piece, and counts the tokens', async () => {
    const [runtime] = agents.runtimes;
    const ada = await agents.people.newPerson();
    const { agentId, afterSequence } = await runtime!.postMessage(post('hello'), ada.as);
    const seen: string[] = [];
    const stop = new AbortController();
    const events = runtime!.watchAgent(
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
    const { agent } = await runtime!.getAgent({ selector }, ada.as);
    expect(agent).toMatchObject({
      provider: 'openai',
      model: 'test',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    const [question] = server.questions;
    expect(question?.messages[0]).toMatchObject({ role: 'system' });
    expect(question?.tools?.map((tool) => tool.function.name)).toContain('friend_add');
  });

  it('runs the tools the model wants and tells it what came of them', async () => {
    const [runtime] = agents.runtimes;
    const ada = await agents.people.newPerson();
    const { agentId } = await runtime!.postMessage(post('who are my friends?'), ada.as);
    const lines = await eventually(async () => {
      const found = (await historyOf(runtime!, ada, agentId)).map(summaryOf);
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

  it('tells the person once when the model is down, and goes on with what comes next', async () => {
    const [runtime] = agents.runtimes;
    const ada = await agents.people.newPerson();
    const { agentId } = await runtime!.postMessage(post('please fail'), ada.as);
    await eventually(
      async () =>
        (await historyOf(runtime!, ada, agentId)).some(({ record }) => record?.$case === 'note'),
      { timeoutMs: 100_000 },
    );
    await runtime!.postMessage(post('hello again'), ada.as);
    const lines = await eventually(async () => {
      const found = (await historyOf(runtime!, ada, agentId)).map(summaryOf);
      return found.at(-1) === 'agent: Hello there.' && found;
    });
    expect(lines.filter((line) => line.startsWith('note'))).toHaveLength(1);
    const request = { pageSize: 0, pageToken: '', agentId };
    const { deadLetters } = await runtime!.listDeadLetters(request, ada.as);
    expect(deadLetters).toMatchObject([{ text: 'please fail', attempts: 5 }]);
  }, 120_000);
});
