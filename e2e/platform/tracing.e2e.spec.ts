import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { startStack } from '../support/stack/stack';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly service: string;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly value: object }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Span, 'service'>[] }[];
  }[];
}

/** A trace collector that keeps the spans that services report. */
async function startCollector() {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') spans.push(...spansIn(JSON.parse(body) as Export));
      response.end('{}');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { spans, url, stop: () => server.close() };
}

function spansIn({ resourceSpans }: Export): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = JSON.stringify(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });
}

it('the trace of a call continues in the service that handles its message or notice', async () => {
  const collector = await startCollector();
  const { spans, url } = collector;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  const sampled = { DAYCARE_TRACE_PER_MILLE: '1000' };
  const services = ['identity', 'social-graph', 'agent-runtime'] as const;
  const stack = await startStack({ services: [...services], env: { ...env, ...sampled } });
  try {
    const [ada, bob] = await stack.people.newFriends();
    const carl = await stack.people.newPerson();
    const { id: subuserId } = await stack.people.newSubuser(ada);
    const { graph } = stack;
    const calls = {
      SendFriendMessage: (options: CallOptions) =>
        graph.sendFriendMessage({ requestId: 'r1', nametag: bob.nametag, message: 'Hi' }, options),
      AddFriend: (options: CallOptions) =>
        graph.addFriend({ requestId: 'r2', nametag: carl.nametag }, options),
      ShareSubuser: (options: CallOptions) =>
        graph.shareSubuser({ requestId: 'r3', friendNametag: bob.nametag, subuserId }, options),
    };
    for (const [name, call] of Object.entries(calls)) {
      const traceId = randomBytes(16).toString('hex');
      await call({ ...ada.as, traceparent: `00-${traceId}-b7ad6b7169203331-01` });
      const find = (part: string) =>
        spans.find((span) => span.traceId === traceId && span.name.includes(part));
      const handled = await eventually(() => find('handle'));
      expect(handled.service).toContain('daycare-agent-runtime');
      const called = await eventually(() => find(name));
      expect(called.service).toContain('daycare-social-graph');
    }
    expect(spans.find(({ name }) => name.includes('CreateUser'))?.service).toContain(
      'daycare-identity',
    );
  } finally {
    await stack.stop();
    collector.stop();
  }
});
