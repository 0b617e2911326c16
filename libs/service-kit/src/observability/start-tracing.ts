import { isSampled, startSpan, type StartedSpan } from '@daycare/messaging';
import type { CallPipeline } from '@daycare/rpc';

export interface TracingOptions {
  readonly service: string;
  readonly otlpUrl: string;
  readonly samplePerMille: number;
}

/** How calls become spans. */
export interface Tracing {
  /** For the server's pipeline; undefined if nothing is exported. */
  readonly startSpan: CallPipeline['startSpan'];
  /**
   * Starts a span for a call to another system: a child span if the work that makes the call is sampled, otherwise a
   * new one for a random share of calls.
   */
  readonly startClientSpan: (name: string, parent?: string) => StartedSpan | undefined;
  /** Exports the remaining spans. */
  stop(): Promise<void>;
}

const noTracing: Tracing = {
  startSpan: undefined,
  startClientSpan: () => undefined,
  stop: async () => undefined,
};

/**
 * Exports traces to the configured collector: those that the calling service has sampled, and a share of those that
 * begin here. Calls that are not sampled get no span, and a trace id only when something needs one.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { service, otlpUrl, samplePerMille } = options;
  if (otlpUrl === '') return noTracing;
  // Few installations export traces; a static import would load these packages whenever a service starts.
  const { exportSpans } = await import('./export-spans.ts');
  const stop = exportSpans(service, `${otlpUrl.replace(/\/$/, '')}/v1/traces`);
  const ratio = samplePerMille / 1000;
  return {
    startSpan(name, { parent, isCallersChoice }) {
      const isWanted = isCallersChoice ? isSampled(parent) : Math.random() < ratio;
      return isWanted ? startSpan(name, 'server', parent) : undefined;
    },
    startClientSpan(name, parent) {
      if (isSampled(parent)) return startSpan(name, 'client', parent);
      return Math.random() < ratio ? startSpan(name, 'client', undefined) : undefined;
    },
    stop,
  };
}
