import { isSampled, startSpan, type StartedSpan } from '@daycare/messaging';
import type { CallPipeline } from '@daycare/rpc';

export interface TracingOptions {
  readonly service: string;
  readonly otlpUrl: string;
  readonly samplePerMille: number;
}

/** How calls become spans. */
export interface Tracing {
  /** For the pipeline of the server; undefined when nothing is exported. */
  readonly startSpan: CallPipeline['startSpan'];
  /**
   * Starts the span of a call to another system: as a child if the work that causes the call is sampled, otherwise for
   * a random share of calls.
   */
  readonly startClientSpan: (name: string, parent?: string) => StartedSpan | undefined;
  /** Exports what is left. */
  stop(): Promise<void>;
}

const noTracing: Tracing = {
  startSpan: undefined,
  startClientSpan: () => undefined,
  stop: async () => undefined,
};

/**
 * Exports traces to the configured collector: those that a calling service has sampled, and a share of
 * all others. Whatever is not sampled costs no span; its trace id is made when something needs it.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { service, otlpUrl, samplePerMille } = options;
  if (otlpUrl === '') return noTracing;
  // Few installations export traces; a static import would load these packages at every start of a service.
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
