import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { CallOptions } from '@daycare/rpc';
import {
  conversationOf,
  eventually,
  ModelServer,
  openAiEvents,
  type ModelServerReply,
} from '@daycare/testing';
import { post } from '../support/people/history';
import {
  renderTrace,
  startTraceCollector,
  type TraceCollector,
} from '../support/stack/trace-collector';
import { useStack } from '../support/stack/use-stack';

let collector: TraceCollector;
let model: ModelServer;

const callOf = (name: string, args: object) => ({
  id: `call_${name}`,
  name,
  fragments: [JSON.stringify(args)],
});

/** An agent that is told to ask someone sends them a message; every other agent answers. */
function respond(body: unknown): ModelServerReply {
  const last = conversationOf(body).at(-1);
  const [, nametag] = /Ask (\w+)/.exec(JSON.stringify(last)) ?? [];
  if (last?.role === 'tool' || nametag === undefined)
    return { steps: openAiEvents({ text: ['Yes, at six.'] }) };
  const calls = [
    callOf('topology', {}),
    callOf('subuser_list', {}),
    callOf('friend_send', { nametag, message: 'When are you free?' }),
  ];
  return { steps: openAiEvents({ calls }) };
}

const stack = useStack(async () => {
  collector = await startTraceCollector();
  model = await ModelServer.start(({ body }) => respond(body));
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    DAYCARE_TRACE_PER_MILLE: '1000',
    DAYCARE_OPENAI_URL: model.url,
    DAYCARE_MODEL: 'openai/test',
  };
  return { env };
});
afterAll(async () => {
  collector.stop();
  await model.close();
});

/** Begins a sampled trace, as a caller that is not one of our services would. */
function startTrace() {
  const traceId = randomBytes(16).toString('hex');
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const spans = () => collector.spans.filter((span) => span.traceId === traceId);
  return { traceparent, spans };
}

it('one trace leads from a message through friend_send to the recipient’s answer', async () => {
  const { people, runtime } = stack;
  const [ada, bob] = await people.newFriends();
  await runtime.postMessage(post('hello'), bob.as);
  const { traceparent, spans } = startTrace();
  await runtime.postMessage(post(`Ask ${bob.nametag} when they are free.`), {
    ...ada.as,
    traceparent,
  });
  const documented = readFileSync(join(__dirname, '../../docs/observability.md'), 'utf8');
  const [, example = ''] = /```text\n([^]*?)```/.exec(documented) ?? [];
  // The lines are sorted, because the read-only tools that one answer calls run in parallel.
  const linesOf = (text: string): string[] => text.trim().split('\n').sort();
  // Each service exports its spans when they have ended.
  await eventually(() => spans().length >= linesOf(example).length);
  expect(linesOf(renderTrace(spans()))).toEqual(linesOf(example));
  const services = new Set(spans().map(({ service }) => service));
  expect([...services].sort()).toEqual(['agent-runtime', 'identity', 'social-graph', 'topology']);
});

it('a social-graph call’s trace continues in agent-runtime, which handles the message or notice that the call causes', async () => {
  const { people, graph } = stack;
  const [ada, bob] = await people.newFriends();
  const carl = await people.newPerson();
  const { id: subuserId } = await people.newSubuser(ada);
  const calls = {
    SendFriendMessage: (options: CallOptions) =>
      graph.sendFriendMessage({ requestId: 'r1', nametag: bob.nametag, message: 'Hi' }, options),
    AddFriend: (options: CallOptions) =>
      graph.addFriend({ requestId: 'r2', nametag: carl.nametag }, options),
    ShareSubuser: (options: CallOptions) =>
      graph.shareSubuser({ requestId: 'r3', friendNametag: bob.nametag, subuserId }, options),
  };
  for (const [name, call] of Object.entries(calls)) {
    const { traceparent, spans } = startTrace();
    await call({ ...ada.as, traceparent });
    const find = (part: string) => spans().find((span) => span.name.includes(part));
    expect((await eventually(() => find('handle'))).service).toBe('agent-runtime');
    expect((await eventually(() => find(name))).service).toBe('social-graph');
  }
  expect(collector.spans.find(({ name }) => name.includes('CreateUser'))?.service).toBe('identity');
});
