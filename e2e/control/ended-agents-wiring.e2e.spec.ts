import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { OverlapPolicy } from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
const { people, agents, runtime } = stack;
const timeoutMs = 20_000;

/** An agent that can be ended. */
interface EndableAgent {
  readonly agent: Actor;
  readonly end: () => Promise<unknown>;
}

/** Creates an agent that the person ends directly. */
async function newPermanentAgent({ as, ...ada }: Person): Promise<EndableAgent> {
  const agent = await agents.permanent(ada);
  const request = { requestId: createId(), agentId: agent.id };
  return { agent, end: () => runtime.endAgent(request, as) };
}

/** Creates a cron's agent, which ends with the cron. */
async function newCronAgent({ id: userId, as }: Person): Promise<EndableAgent> {
  const yearly = { name: 'Yearly', schedule: '0 0 1 1 *', prompt: 'It is time', timeZone: '' };
  const options = { agentId: '', once: false, quiet: false, overlap: OverlapPolicy.SKIP };
  const request = { requestId: createId(), ...yearly, ...options };
  const { cron } = await runtime.createCron(request, as);
  const { id: cronId, agentId: id } = cron!;
  const agent = { id, userId, as: await people.signIn(userId, id) };
  return { agent, end: () => runtime.deleteCron({ requestId: createId(), cronId }, as) };
}

async function waitUntilReceived({ as }: Person, { id }: Actor, text: string): Promise<void> {
  const isReceived = async () =>
    (await historyOf(runtime, { as }, id)).map(summaryOf).some((line) => line.includes(text));
  await eventually(isReceived, { timeoutMs });
}

/** Resolves once everything that topology has sent for a person has been delivered or given up on. */
async function whenDelivered({ id: senderUserId }: Person): Promise<void> {
  const outbox = stack.db('topology').collection('outbox');
  const undelivered = { open: true, senderUserId };
  await eventually(async () => (await outbox.countDocuments(undelivered)) === 0, { timeoutMs });
}

async function wiringSeenBy(agent: Actor): Promise<string> {
  return (await agents.callTool(agent, 'topology', {}))['text']!;
}

it.each([
  ['ended by its user', newPermanentAgent],
  ['ended with its cron', newCronAgent],
])(
  'an agent that is %s receives no more signals, and the next member leads its channel',
  async (_, make) => {
    const ada = await people.newPerson();
    const [dev, qa] = await Promise.all(['one', 'two'].map((name) => agents.foreground(ada, name)));
    const { agent, end } = await make(ada);
    await agents.callTool(agent, 'signal_subscribe', { pattern: 'build:*' });
    await agents.callTool(dev!, 'signal_subscribe', { pattern: 'build:*' });
    await agents.callTool(agent, 'channel_create', { name: 'ops', username: 'boss' });
    await agents.callTool(dev!, 'channel_join', { channel: 'ops', username: 'dev' });
    await agents.callTool(qa!, 'channel_join', { channel: 'ops', username: 'qa' });
    const say = async (message: string): Promise<void> => {
      await agents.callTool(qa!, 'channel_send', { channel: 'ops', message });
      await agents.callTool(qa!, 'emit_signal', { type: 'build:done', data: message });
    };
    await say('who leads at first?');
    await waitUntilReceived(ada, agent, '@qa: who leads at first?');
    await waitUntilReceived(ada, agent, 'Data: "who leads at first?"');
    expect(await wiringSeenBy(qa!)).toContain(`#ops leader=${agent.id}`);

    await end();
    const seen = await eventually(
      async () => {
        const text = await wiringSeenBy(qa!);
        return text.includes(agent.id) ? undefined : text;
      },
      { timeoutMs },
    );
    expect(seen).toContain(`#ops leader=${dev!.id} members=@dev(${dev!.id}), @qa(${qa!.id})`);
    expect(seen).toContain(
      `## Signal Subscriptions (1)\nagent=${dev!.id} pattern=build:* silent=true`,
    );
    await say('who leads now, @boss?');
    await waitUntilReceived(ada, dev!, '@qa: who leads now, @boss?');
    await waitUntilReceived(ada, dev!, 'Data: "who leads now, @boss?"');
    await whenDelivered(ada);
    const all = { pageSize: 0, pageToken: '', agentId: '' };
    expect((await runtime.listDeadLetters(all, ada.as)).deadLetters).toEqual([]);
  },
);
