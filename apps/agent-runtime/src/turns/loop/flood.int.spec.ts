import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';
import { personMessage, serveNext, startTestRuntime } from '../../test-support/test-runtime';

const runtime = useFixture(() => startTestRuntime());

/** The local provider, which records each request and then waits for `before`. */
function recordingProvider(before: () => Promise<void> = async () => undefined) {
  const asked: string[] = [];
  const provider: ModelProvider = {
    ...localProvider,
    async answer(request) {
      const last = request.context.at(-1);
      asked.push(last?.role === 'user' ? last.text : '');
      await before();
      return localProvider.answer(request);
    },
  };
  return { provider, asked };
}
const whenIdle = (agent: Agent): Promise<unknown> =>
  eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
const sendAll = async (agent: Agent, count: number) => {
  const items = Array.from({ length: count }, (_, index) => friendMessage(agent, `f${index}`));
  await runtime.putItems(items.map((item) => ({ agent, item })));
  return items;
};

describe('a flood of messages', () => {
  it('with 1,000 waiting messages from a friend, a person’s message is the next one sent to the model', async () => {
    const agent = await runtime.newAgent();
    await sendAll(agent, 1_000);
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { provider, asked } = recordingProvider(() => opened);
    const stopServing = await serveNext(runtime, provider);
    await eventually(async () => asked.length === 1);
    const item = personMessage(agent, 'hello from your person');
    await runtime.putItems([{ agent, item }]);
    open();
    await eventually(async () => asked.length > 1);
    expect(asked[1]).toBe('hello from your person');
    await whenIdle(agent);
    expect(asked.length).toBeLessThan(20);
    await stopServing();
  });

  it('a burst of fifty messages from one sender is handled in one turn, which records the id of each', async () => {
    const agent = await runtime.newAgent();
    const burst = await sendAll(agent, 50);
    const { provider, asked } = recordingProvider();
    const stopServing = await serveNext(runtime, provider);
    await whenIdle(agent);
    expect(asked).toHaveLength(1);
    const [, message] = await runtime.history.listRecords(agent, { after: 0, limit: 10 });
    expect(message).toMatchObject({ messageIds: burst.map(({ messageId }) => messageId) });
    await stopServing();
  });
});

function friendMessage({ id: agentId, userId }: Agent, text: string) {
  const common = { agentId, userId, messageId: createId(), acceptedAt: new Date() };
  const sent = { origin: 'friend:otter7', senderUserId: 'otter', trust: 'person' as const };
  const content = { text, silent: false, hops: 1 };
  return { kind: 'system_message' as const, ...common, ...sent, ...content };
}
