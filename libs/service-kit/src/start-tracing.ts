import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';

export interface TracingOptions {
  readonly service: string;
  readonly otlpUrl: string;
  readonly samplePerMille: number;
}

/**
 * Gives every call a trace id and, when a collector is named, sends the sampled ones there.
 * Returns what flushes and stops it.
 */
export function startTracing(options: TracingOptions): () => Promise<void> {
  const exported = options.otlpUrl !== '';
  const ratio = exported ? options.samplePerMille / 1000 : 0;
  const url = `${options.otlpUrl.replace(/\/$/, '')}/v1/traces`;
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `daycare-${options.service}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: exported ? [new BatchSpanProcessor(new OTLPTraceExporter({ url }))] : [],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}
