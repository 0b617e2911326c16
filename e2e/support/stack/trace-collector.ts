import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly service: string;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly {
        readonly key: string;
        readonly value: { stringValue?: string };
      }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Span, 'service'>[] }[];
  }[];
}

export interface TraceCollector {
  readonly spans: readonly Span[];
  readonly url: string;
  stop(): void;
}

/** Starts an OTLP/HTTP collector that keeps the spans that services export. */
export async function startTraceCollector(): Promise<TraceCollector> {
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
  return resourceSpans.flatMap(({ resource: { attributes }, scopeSpans }) => {
    const name = attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    const service = name.replace('daycare-', '');
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });
}

/** Renders a trace's spans as an indented list, siblings ordered by their start. */
export function renderTrace(spans: readonly Span[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const isRoot = ({ parentSpanId = '' }: Span): boolean => !ids.has(parentSpanId);
  const inOrder = [...spans].sort((a, b) =>
    Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)),
  );
  const lines = (siblings: readonly Span[], depth: number): string[] =>
    siblings.flatMap((span) => [
      `${'  '.repeat(depth)}${span.service}: ${span.name.split('/').at(-1)}`,
      ...lines(
        inOrder.filter(({ parentSpanId }) => parentSpanId === span.spanId),
        depth + 1,
      ),
    ]);
  return lines(inOrder.filter(isRoot), 0).join('\n');
}
