import { describe, expect, it } from '@jest/globals';
import {
  ToolProgressState,
  type ToolProgress,
  type WatchAgentResponse,
} from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { historyOf, post, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({ ownServers: true });
const { people, runtime } = stack;

/** Returns what the person reads: everything except the agent's intermediate steps. */
async function linesOf(person: Person, agentId: string): Promise<string[]> {
  const lines = (await historyOf(runtime, person, agentId)).map(summaryOf);
  return lines.filter((line) => !['start', 'toolResult', 'agent: '].includes(line));
}

/** Resolves with what the person reads once its last line matches. */
const whenLastLine = (person: Person, agentId: string, last: RegExp): Promise<string[]> =>
  eventually(
    async () => {
      const lines = await linesOf(person, agentId);
      return last.test(lines.at(-1) ?? '') && lines;
    },
    { timeoutMs: 60_000 },
  );

async function expectNoDeadLetters({ as }: Person): Promise<void> {
  const { deadLetters } = await runtime.listDeadLetters(
    { pageSize: 0, pageToken: '', agentId: '' },
    as,
  );
  expect(deadLetters).toEqual([]);
}

describe('an outage', () => {
  it('if topology goes down during a tool call, the agent tells the person once that it is not available, and a later call works', async () => {
    const eve = await people.newPerson();
    const command = '/channel_create {"name": "ops"}';
    const { agentId } = await runtime.postMessage(post('hello'), eve.as);
    await whenLastLine(eve, agentId, /You said: hello/);
    const watching = new AbortController();
    const events = open(eve, agentId, watching.signal);
    await waitForEvent(events, answers('You said: hello'));
    stack.service('topology').pause();
    await runtime.postMessage(post(command), eve.as);
    await waitForEvent(events, (event) => event.$case === 'toolProgress' && isStarted(event.value));
    watching.abort();
    await stack.service('topology').kill();
    const shown = await whenLastLine(eve, agentId, /not available/);
    // Everything that does not need topology continues.
    await runtime.postMessage(post('still there?'), eve.as);
    await whenLastLine(eve, agentId, /You said: still there/);
    await stack.service('topology').restart();
    await runtime.postMessage(post(command), eve.as);
    const lines = await whenLastLine(eve, agentId, /"ops"/);
    expect(shown.at(-1)).toContain('not known whether');
    expect(lines.filter((line) => line.includes('not available'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('note:'))).toEqual([]);
    await expectNoDeadLetters(eve);
  }, 120_000);

  it('with NATS down, people get answers and watchers see them; a friend’s message is answered once when NATS is back', async () => {
    const [bob, ada] = await people.newFriends();
    const { agentId } = await runtime.postMessage(post('hello'), ada.as);
    await whenLastLine(ada, agentId, /wants to be/);
    const before = (await linesOf(ada, agentId)).length;
    const watching = new AbortController();
    const watched = waitForEvent(
      open(ada, agentId, watching.signal),
      answers('You said: anybody there?'),
    );
    await stack.nats!.kill();
    await people.message(bob, ada, 'Dinner?');
    await runtime.postMessage(post('anybody there?'), ada.as);
    await whenLastLine(ada, agentId, /You said: anybody there/);
    await watched;
    watching.abort();
    expect(await linesOf(ada, agentId)).toHaveLength(before + 2);
    await stack.nats!.restart();
    const lines = await whenLastLine(ada, agentId, /said: Dinner/);
    const from = `friend:${bob.nametag}`;
    expect(lines.slice(before)).toEqual([
      ...['person: anybody there?', 'agent: You said: anybody there?'],
      ...[`${from}: Dinner?`, `agent: ${from} said: Dinner?`],
    ]);
    await expectNoDeadLetters(ada);
    await expectNoDeadLetters(bob);
  }, 120_000);
});

type LiveEvent = NonNullable<WatchAgentResponse['event']>;

function open(
  { as }: Person,
  agentId: string,
  signal: AbortSignal,
): AsyncIterator<WatchAgentResponse> {
  const events = runtime.watchAgent({ agentId, afterSequence: 0 }, { ...as, signal });
  return events[Symbol.asyncIterator]();
}

/** Resolves when a wanted event arrives; the stream stays open. */
async function waitForEvent(
  events: AsyncIterator<WatchAgentResponse>,
  isWanted: (event: LiveEvent) => boolean,
): Promise<void> {
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error('the stream has ended');
    if (value.event && isWanted(value.event)) return;
  }
}

function answers(text: string): (event: LiveEvent) => boolean {
  return (event) => {
    const record = event.$case === 'record' ? event.value.record : undefined;
    return record?.$case === 'assistantMessage' && record.value.text === text;
  };
}

function isStarted({ toolName, state }: ToolProgress): boolean {
  return toolName === 'channel_create' && state === ToolProgressState.STARTED;
}
